import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addColleague, startPortal } from '../../testing/start-portal.ts'
import { readAnnouncement } from './announcement.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'announcement-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function fileOf(content: string | Buffer): Promise<string> {
  const path = join(folder, 'announcement.md')
  await writeFile(path, content)
  return path
}

test('an announcement is shown to each person until that person puts it away, and a changed file is shown again', async () => {
  const env = { ANNOUNCEMENT_FILE: await fileOf('**Closed** on Friday.\n') }
  await using portal = await startPortal({ env })
  const ada = await portal.newPartner()
  const bob = await addColleague(portal, ada, 'viewer')
  const shownTo = async ({ token }: { token: string }, on = portal) =>
    (await on.post('/auth/verify', { token })).body.data.announcement
  const { id, text } = await shownTo(bob)
  expect(text).toBe('**Closed** on Friday.')

  expect((await bob.post('/account/announcement/put-away', { id })).status).toBe(200)
  expect([await shownTo(bob), (await shownTo(ada)).id]).toEqual([null, id])

  await fileOf('Open again.')
  await using later = await startPortal({ env, on: portal })
  expect((await shownTo(bob, later)).text).toBe('Open again.')
})

test.each([
  ['', /announcement\.md is empty/],
  [Buffer.from([0xff, 0xfe, 0x41]), /is not a text in UTF-8/],
  ['a\u0000b', /is not a text in UTF-8/],
  ['a'.repeat(2_001), /has 2001 characters, but may have at most 2000/],
])('%j is refused in words', async (content, message) => {
  await expect(readAnnouncement(await fileOf(content))).rejects.toThrow(message)
})
