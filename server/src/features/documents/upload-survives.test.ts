import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DOCUMENT_PART_BYTES } from '@portal/contract/documents.ts'
import { expect, test } from 'vitest'
import { openLender } from '../../testing/lender.ts'
import { openDataFolder } from '../../testing/portal-process.ts'
import { newLead } from '../../testing/start-portal.ts'
import { sha256 } from '../../testing/upload.ts'
import { waitFor } from '../../testing/wait-for.ts'

const FILE_BYTES = 20 * 1024 * 1024
/** `UPLOAD_RUNS=100` plays a hundred seeds, beginning with `UPLOAD_SEED`. */
const RUNS = Number(process.env['UPLOAD_RUNS'] ?? 1)
const SEED = Number(process.env['UPLOAD_SEED'] ?? 7)
const BREAKS = 10

/** The same numbers for the same seed, from 0 to 1. */
function openRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers of any shape
type Body = any

test('a file of 20 MB arrives once and whole, though connections break and the server is killed twice', {
  timeout: 120_000 * RUNS,
}, async () => {
  await using folder = await openDataFolder()
  let portal = await folder.start()
  let token = ''
  async function ask(method: string, path: string, body?: object | Uint8Array<ArrayBuffer>, signal?: AbortSignal) {
    const isBytes = body instanceof Uint8Array
    const answer = await fetch(`${portal.url}/api${path}`, {
      method,
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
      },
      body: isBytes ? body : body ? JSON.stringify(body) : null,
      ...(signal && { signal }),
    })
    const read: Body = await answer.json()
    return { status: answer.status, body: read }
  }
  const account = { email: 'ada@example.com', password: 'correct-horse-battery', businessName: 'Ada Broking' }
  await ask('POST', '/auth/signup', account)
  token = (await ask('POST', '/auth/login', account)).body.token
  const confirmation = await waitFor('the mail', async () => {
    const outbox = join(folder.path, 'outbox')
    const mails = await Promise.all((await readdir(outbox)).map((name) => readFile(join(outbox, name), 'utf8')))
    return mails.map((mail) => /verify-email\?token=3D([\w-]+)/.exec(mail.replaceAll('=\n', ''))?.[1]).find(Boolean)
  })
  expect((await ask('POST', '/auth/verify-email', { token: confirmation })).status).toBe(200)
  // Each restart and each seed signs in to the sandbox.
  await openLender(portal.crmUrl).behaviour({ tokenThrottle: false })
  for (let seed = SEED; seed < SEED + RUNS; seed++) await sendWith(seed)

  async function sendWith(seed: number): Promise<void> {
    const random = openRandom(seed)
    const lead = { ...newLead(), email: `seed${seed}@example.com` }
    const { loid } = (await ask('POST', '/dashboard/leads', lead)).body.data

    const content = new Uint8Array(Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(FILE_BYTES - 9)]))
    const file = { name: 'bank.pdf', size: content.byteLength, sha256: sha256(content) }
    const begin = async () => (await ask('POST', `/crm/documents/${loid}`, file)).body.data
    const kills = new Set([Math.floor(3 + random() * 6), Math.floor(11 + random() * 6)])
    let broken = 0
    for (;;) {
      const { document, parts } = await begin()
      const number = Array.from({ length: 20 }, (_, at) => at).find((at) => !parts.includes(at))
      if (number === undefined) break
      const bytes = content.subarray(number * DOCUMENT_PART_BYTES, (number + 1) * DOCUMENT_PART_BYTES)
      const send = (signal?: AbortSignal) =>
        ask('PUT', `/crm/document/${document.id}/parts?number=${number}`, bytes, signal)
      if (kills.delete(number)) {
        const sending = send().catch(() => undefined)
        await portal.kill()
        await sending
        portal = await folder.start()
      } else if (random() < 0.7 && broken < BREAKS) {
        broken += 1
        // The connection breaks at some time during the part.
        await send(AbortSignal.timeout(Math.ceil(random() * 8))).catch(() => undefined)
      } else await send()
    }
    expect([kills.size, broken]).toEqual([0, BREAKS])
    expect((await ask('POST', `/crm/document/${(await begin()).document.id}/complete`)).status).toBe(200)
    const lender = openLender(portal.crmUrl)
    const stored = await waitFor('the file in the CRM', async () => {
      const inCrm = (await lender.list('Leads', 'LOID')).find((one) => one['LOID'] === loid)
      const files = inCrm ? await lender.attachments('Leads', String(inCrm['id'])) : []
      return files.length > 0 && { lead: String(inCrm?.['id']), files }
    })
    expect(stored.files).toMatchObject([{ name: 'bank.pdf', size: FILE_BYTES }])
    const [one] = stored.files
    expect(sha256(await lender.openAttachment('Leads', stored.lead, one?.id ?? ''))).toBe(file.sha256)
  }
})
