import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../server/src/testing/databases.ts'
import { openRandom } from '../server/src/testing/random.ts'
import { tellUnderKills } from './mails-under-kills.ts'

test('each person gets exactly one mail about each change, however often the portal is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-mails-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const { url: databaseUrl } = await createDatabase()
  const told = await tellUnderKills({ databaseUrl, folder, changes: 24, kills: 3, random: openRandom(1) })
  expect([...told]).toEqual([[1, 24 * 3]])
})
