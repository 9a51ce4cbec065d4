import { randomBytes } from 'node:crypto'
import { DOCUMENT_PART_BYTES } from '@portal/contract/documents.ts'
import { expect, test } from 'vitest'
import { startKillablePortal } from '../../testing/killable-portal.ts'
import { openLender } from '../../testing/lender.ts'
import { confirmEmail, newLead, startPortal } from '../../testing/start-portal.ts'
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
  timeout: 300_000 * RUNS,
}, async () => {
  // This portal runs no jobs. The server that is killed has the same database and folder.
  await using helper = await startPortal({ withCrm: true, env: { ROLE: 'web' } })
  const folder = helper.deps.config.dataDir
  const zoho = {
    ZOHO_ACCOUNTS_URL: helper.crmUrl,
    ZOHO_API_URL: helper.crmUrl,
    ZOHO_CLIENT_ID: 'sandbox',
    ZOHO_CLIENT_SECRET: 'sandbox',
    ZOHO_REFRESH_TOKEN: 'sandbox',
  }
  const start = () => startKillablePortal({ databaseUrl: helper.database.url, folder, env: zoho })
  const lender = openLender(helper.crmUrl)
  // Each restart and each seed signs in to the sandbox.
  await lender.behaviour({ tokenThrottle: false })
  const ada = await helper.newPartner()
  let portal = await start()
  await using ends = new AsyncDisposableStack()
  ends.defer(() => portal.kill())
  await confirmEmail(helper, ada)
  async function ask(method: string, path: string, body?: object | Uint8Array<ArrayBuffer>, signal?: AbortSignal) {
    const isBytes = body instanceof Uint8Array
    const answer = await fetch(`${portal.url}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ada.token}`,
        ...(body && { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
      },
      body: isBytes ? body : body ? JSON.stringify(body) : null,
      ...(signal && { signal }),
    })
    const read: Body = await answer.json()
    return { status: answer.status, body: read }
  }
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
        portal = await start()
      } else if (random() < 0.7 && broken < BREAKS) {
        broken += 1
        // The connection breaks at some time during the part.
        await send(AbortSignal.timeout(Math.ceil(random() * 8))).catch(() => undefined)
      } else await send()
    }
    expect([kills.size, broken]).toEqual([0, BREAKS])
    expect((await ask('POST', `/crm/document/${(await begin()).document.id}/complete`)).status).toBe(200)
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
