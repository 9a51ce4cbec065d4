// `npm run bench:documents`: how much the server's memory grows while four partners send twenty files of 20 MB at once,
// and while they open them all at once. Exits with 1 if it grows by more than the goal.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Sender, sha256, upload } from '../server/src/testing/upload.ts'
import { newLead } from './load-data.ts'
import { type Product, startProduct, withEmptyFolder } from './product.ts'

const GOAL_MB = 30
const PARTNERS = 4
const FILES = 20
const FILE_BYTES = 20 * 1024 * 1024
const LOOK_EVERY_MS = 50
const WAIT_MS_MAX = 180_000

interface Caller extends Sender {
  loid: string
}

let isMet = true
await withEmptyFolder(async (folder) => {
  const product = await startProduct(folder, { LOG_LEVEL: 'fatal' })
  const callers = await Promise.all(Array.from({ length: PARTNERS }, (_, at) => signUp(product, at)))
  // The first files of a process make it larger once.
  const first = await Promise.all(callers.map((caller) => send(product, caller, 'first.pdf')))
  await settled(product)
  for (let round = 0; round < 3; round++) await Promise.all(first.map((file) => open(product, file)))
  const files: Sent[] = []
  isMet = await measure(product, 'sent at once', async () => {
    const names = Array.from({ length: FILES / PARTNERS }, (_, at) => `file ${at}.pdf`)
    const sending = callers.flatMap((caller) => names.map((name) => send(product, caller, name)))
    files.push(...(await Promise.all(sending)))
    await settled(product)
  })
  const opened = await measure(product, 'opened at once', async () => {
    await Promise.all(files.map((file) => open(product, file)))
  })
  isMet &&= opened
  await product.stop()
})
process.exit(isMet ? 0 : 1)

interface Sent {
  id: string
  token: string
  sha256: string
}

async function measure({ residentKbNow }: Product, what: string, work: () => Promise<void>): Promise<boolean> {
  await sleep(2_000)
  const before = residentKbNow()
  let most = before
  const looking = setInterval(() => (most = Math.max(most, residentKbNow())), LOOK_EVERY_MS)
  const startedAt = performance.now()
  await work()
  clearInterval(looking)
  const seconds = (performance.now() - startedAt) / 1_000
  const grewMb = (most - before) / 1_024
  const verdict = grewMb <= GOAL_MB ? 'met' : 'missed'
  console.log(
    `${FILES} files of 20 MB ${what}: ${seconds.toFixed(1)} s, memory ${(before / 1_024).toFixed(0)} MB and at most ${grewMb.toFixed(0)} MB more (goal ${GOAL_MB}, ${verdict})`,
  )
  return verdict === 'met'
}

async function signUp({ url, pool }: Product, at: number): Promise<Caller> {
  const caller: Caller = {
    token: '',
    loid: '',
    async post(path, body) {
      const answer = await fetch(`${url}/api${path}`, {
        method: 'POST',
        headers: {
          ...(caller.token !== '' && { authorization: `Bearer ${caller.token}` }),
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body ? JSON.stringify(body) : null,
      })
      return { status: answer.status, body: await answer.json() }
    },
  }
  const account = {
    email: `files${at}@example.com`,
    password: 'a-password-for-the-bench',
    businessName: `Files ${at}`,
  }
  await caller.post('/auth/signup', account)
  await pool.query('update people set email_verified = true where email = $1', [account.email])
  caller.token = (await caller.post('/auth/login', account)).body.token
  caller.loid = (await caller.post('/dashboard/leads', newLead(at))).body.data.loid
  return caller
}

async function send({ url }: Product, caller: Caller, name: string): Promise<Sent> {
  const content = new Uint8Array(Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(FILE_BYTES - 9)]))
  const answer = await upload({ url }, caller, { loid: caller.loid, name, content })
  if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return { id: answer.body.data.document.id, token: caller.token, sha256: sha256(content) }
}

/** Waits until the CRM has all files. */
async function settled({ pool }: Product): Promise<void> {
  const until = performance.now() + WAIT_MS_MAX
  for (;;) {
    const { rows } = await pool.query(`select from documents where state <> 'synced'`)
    if (rows.length === 0) return
    if (performance.now() > until) throw new Error('the CRM has not got all files')
    await sleep(LOOK_EVERY_MS)
  }
}

async function open({ url }: Product, { id, token, sha256: wanted }: Sent): Promise<void> {
  const answer = await fetch(`${url}/api/crm/document/${id}/content`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const content = new Uint8Array(await answer.arrayBuffer())
  if (answer.status !== 200 || sha256(content) !== wanted) throw new Error(`a file was opened with ${answer.status}`)
}
