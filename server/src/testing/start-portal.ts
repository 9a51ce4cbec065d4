import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignUp } from '@portal/contract/account-forms.ts'
import type { Role } from '@portal/contract/roles.ts'
import pino from 'pino'
import type { Deps } from '../deps.ts'
import { beginSession } from '../features/accounts/begin-session.ts'
import { hashPassword } from '../features/accounts/passwords.ts'
import { getPerson } from '../features/accounts/people.queries.ts'
import { signUpPartner } from '../features/accounts/sign-up.ts'
import { createSecurityStore } from '../features/security-log/store-security.ts'
import { readSettings } from '../platform/config.ts'
import { type NoteSecurity, noteSecurity } from '../platform/http/security-events.ts'
import type { Visitor } from '../platform/http/visitor.ts'
import { openLog } from '../platform/log.ts'
import { openPortal } from '../process/portal.ts'
import { borrowCrmSandbox } from './borrow-crm-sandbox.ts'
import { createDatabase, type TestDatabase } from './databases.ts'
import { waitFor } from './wait-for.ts'

export interface Answer {
  status: number
  headers: Headers
  // Tests read answers of any shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

interface Request {
  body?: unknown
  headers?: Record<string, string>
  token?: string | undefined
}

/** One key for all portals, because portals on the same database share its secrets. */
export const SECRETS_KEY = Buffer.alloc(32, 'k').toString('base64')

interface PortalOptions {
  /** Uses the worker's CRM sandbox. Without this option the CRM is away, which does not affect most tests. */
  withCrm?: boolean
  /** The address of another server that plays the CRM. */
  crmUrl?: string
  env?: Record<string, string>
  /** Lets the clock enqueue jobs, at times that the test cannot know. */
  hasSchedules?: boolean
  prepare?: (deps: Deps) => Promise<void>
  /** Gets every line that the portal logs, at the most detailed level. */
  onLogLine?: (line: string) => void
  /** Uses the database of a running portal, as another process of that portal would. */
  on?: { database: TestDatabase }
}

/** Starts a whole portal for one test, with its own database, real HTTP and, if the test wants it, the CRM sandbox. */
export async function startPortal(options: PortalOptions = {}) {
  const { withCrm = false, env = {}, hasSchedules = false, prepare, onLogLine, on } = options
  const folder = await mkdtemp(join(tmpdir(), 'portal-'))
  const database = on?.database ?? (await createDatabase())
  const sandbox = withCrm ? await borrowCrmSandbox() : undefined
  const crmUrl = options.crmUrl ?? sandbox?.url ?? 'http://127.0.0.1:1'
  const clock = { now: () => new Date(Date.now() + offsetMs) }
  let offsetMs = 0
  const config = readSettings({
    PORT: '0',
    DATA_DIR: folder,
    SEED_DEMO: 'false',
    RATE_LIMITS: 'off',
    // Enough for requests that race. Opening a connection takes longer than most of a test's statements.
    DATABASE_POOL: '4',
    SECRETS_KEY,
    ...env,
  })
  const settings = {
    accountsUrl: crmUrl,
    apiUrl: crmUrl,
    clientId: 'sandbox',
    clientSecret: 'sandbox',
    refreshToken: 'sandbox',
  }
  const portal = await openPortal({
    config,
    databaseUrl: database.url,
    crm: { mode: 'sandbox', settings },
    clock,
    hasSchedules,
    prepare,
    // oxlint-disable-next-line node/no-process-env -- for looking into one failing test
    log: onLogLine ? openLog('trace', { write: onLogLine }) : pino({ level: process.env['TEST_LOG'] ?? 'silent' }),
  })
  await portal.started
  const url = portal.url
  const agent = new Agent({ keepAlive: true })

  async function ask(method: string, path: string, { body, headers, token }: Request = {}): Promise<Answer> {
    const isFile = Buffer.isBuffer(body)
    const sent = body === undefined || typeof body === 'string' || isFile ? body : JSON.stringify(body)
    const response = await send(`${url}/api${path}`, sent, {
      agent,
      method,
      headers: {
        ...(sent !== undefined && {
          'content-type': isFile ? 'application/octet-stream' : 'application/json',
          'content-length': String(Buffer.byteLength(sent)),
        }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
    })
    const text = await readBody(response)
    return {
      status: response.statusCode ?? 0,
      headers: headersOf(response),
      // A file is its own data.
      body: text.startsWith('\uFEFF') ? { success: true, data: text } : text === '' ? undefined : JSON.parse(text),
    }
  }

  /** The mails to this address as their reader sees them, the newest first. */
  async function mailsTo(email: string): Promise<string[]> {
    const outbox = join(folder, 'outbox')
    const files = (await readdir(outbox)).sort().reverse()
    const mails = await Promise.all(files.map(async (file) => readable(await readFile(join(outbox, file), 'utf8'))))
    return mails.filter((mail) => mail.includes(`To: ${email}`))
  }

  const ourselves = {
    url,
    deps: portal.deps,
    database,
    crmUrl,
    ask,
    get: (path: string, request?: Request) => ask('GET', path, request),
    post: (path: string, body?: unknown, request?: Request) => ask('POST', path, { body, ...request }),
    withoutDatabase: (work: () => Promise<void>) => database.away(work),
    /** Moves the portal's clock. The clocks of the database and the CRM do not move. */
    advance(ms: number) {
      offsetMs += ms
    },
    /** The newest mail to this address that contains these words. */
    mailTo: (email: string, words = '') =>
      waitFor(`a mail to ${email}`, async () => (await mailsTo(email)).find((mail) => mail.includes(words))),
    mailsTo,
    newPartner: (names?: Partial<SignUpForm>) => signUp(ourselves, names),
    async [Symbol.asyncDispose]() {
      await portal.close()
      agent.destroy()
      sandbox?.[Symbol.dispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return ourselves
}

/** Resolves with the head of the answer. Node's own client takes half the processor time that `fetch` takes. */
function send(url: string, body: string | Buffer | undefined, settings: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(url, settings, resolve).on('error', reject).end(body)
  })
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const pairs = Object.entries(headersDistinct)
  return new Headers(pairs.flatMap(([name, values = []]) => values.map((value): [string, string] => [name, value])))
}

/** The whole body. A stream has no end, so its first message is returned, in the same form as other answers. */
async function readBody(response: IncomingMessage): Promise<string> {
  const isStream = response.headers['content-type'] === 'text/event-stream'
  let text = ''
  for await (const piece of response.setEncoding('utf8')) {
    text += piece
    const message = isStream && /^data: ?(.*)\n\n/m.exec(text)
    if (message) return `{"success":true,"data":${message[1]}}`
  }
  return text
}

/**
 * The headers and the plain text of a mail. The text is decoded from quoted-printable. The HTML has the same content
 * (mail/render-mail.test.ts).
 */
function readable(mail: string): string {
  const headersEnd = mail.indexOf('\n\n')
  const [plain = ''] = mail.slice(headersEnd).split('Content-Type: text/html')
  const unfolded = plain.replaceAll('=\n', '')
  const text = unfolded.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  // The headers are not decoded: in a link such as '?token=ABc…', '=AB' is not an escape.
  return mail.slice(0, headersEnd) + text
}

export type TestPortal = Awaited<ReturnType<typeof startPortal>>
export type TestPartner = Awaited<ReturnType<TestPortal['newPartner']>>

interface SignUpForm {
  email: string
  password: string
  businessName: string
  firstName: string
  lastName: string
}

let partners = 0

async function signUp(portal: { ask: AskPortal; deps: Deps }, names: Partial<SignUpForm> = {}) {
  partners += 1
  const form = {
    email: `partner${partners}@example.com`,
    password: 'correct-horse-battery',
    businessName: `Partner ${partners} Pty Ltd`,
    ...names,
  }
  const { id, token } = await signUpAndIn(portal.deps, SignUp.parse(form))

  const partner = {
    ...form,
    id,
    token,
    get: (path: string, request?: Request) => portal.ask('GET', path, { token, ...request }),
    post: (path: string, body?: unknown, request?: Request) => portal.ask('POST', path, { token, body, ...request }),
    ask: (method: string, path: string, request?: Request) => portal.ask(method, path, { token, ...request }),
    put: (path: string, body?: unknown) => portal.ask('PUT', path, { token, body }),
    delete: (path: string) => portal.ask('DELETE', path, { token }),
    async submitLead(form: object = {}): Promise<{ id: string; loid: string }> {
      // On a slow machine the portal can be busy for a moment.
      const created = await waitFor('a portal that is not busy', async () => {
        const answer = await partner.post('/dashboard/leads', newLead(form))
        return answer.body.code !== 'UNAVAILABLE' && answer
      })
      if (created.status !== 201) throw new Error(`the submission was answered with ${JSON.stringify(created.body)}`)
      return created.body.data
    },
    /** Waits until the CRM has the lead, and returns the lead. */
    pushedLead: (loid: string) =>
      waitFor(`${loid} in the CRM`, async () => {
        const { body } = await partner.get(`/crm/lead/${loid}`)
        return body.data.lead.crm === 'synced' && body.data.lead
      }),
  }
  return partner
}

const hashes = new Map<string, Promise<string>>()

/**
 * Signs a partner up and in without HTTP, by the same rules as the routes. Hashing a password takes a long time, so
 * each password is hashed once for all partners.
 */
async function signUpAndIn(deps: Deps, form: SignUp): Promise<{ id: string; token: string }> {
  const hash = hashes.get(form.password) ?? hashPassword(form.password)
  hashes.set(form.password, hash)
  const passwordHash = await hash
  const visitor: Visitor = {
    address: '127.0.0.1',
    networks: ['127.0.0.1'],
    ip: '127.0.0.1',
    browser: null,
    marks: [],
    earlierMarks: [],
    keepMarks: () => undefined,
  }
  const noted = { log: deps.log, store: createSecurityStore(deps) }
  const security: NoteSecurity = (db, event, facts) => noteSecurity(noted, db, event, { ...facts, ip: visitor.ip })
  const { partnerId, personId } = await deps.db.transaction().execute(async (tx) => {
    const made = await signUpPartner(tx, deps, form, passwordHash)
    await security(tx, 'signed-up', { partner: made.partnerId, person: made.personId })
    return made
  })
  const person = await getPerson(deps.db, personId)
  const proof = { factor: 'password', stillCounts: () => Promise.resolve(true) } as const
  const { token } = await beginSession(deps, person, { visitor, security }, proof)
  return { id: partnerId, token }
}

/**
 * Adds another person to the partner. The owner invites the person, who accepts the invitation and is then signed in.
 */
export async function addColleague(portal: TestPortal, partner: TestPartner, role: Role) {
  colleagues += 1
  const email = `colleague${colleagues}@example.com`
  const password = 'correct-horse-battery'
  await confirmEmail(portal, partner)
  const invited = await partner.post('/team/invitations', { email, firstName: 'Robin', lastName: 'Colleague', role })
  if (invited.status !== 201) throw new Error(`the invitation was answered with ${JSON.stringify(invited.body)}`)
  const accepted = await portal.post('/auth/accept-invitation', {
    token: await invitationToken(portal, email),
    password,
  })
  if (accepted.status !== 200) throw new Error(`the acceptance was answered with ${JSON.stringify(accepted.body)}`)
  const token: string = accepted.body.token
  return {
    id: accepted.body.person.id as string,
    email,
    password,
    token,
    get: (path: string) => portal.ask('GET', path, { token }),
    post: (path: string, body?: unknown) => portal.ask('POST', path, { token, body }),
    put: (path: string, body?: unknown) => portal.ask('PUT', path, { token, body }),
    delete: (path: string) => portal.ask('DELETE', path, { token }),
  }
}

let colleagues = 0

export async function confirmEmail(portal: TestPortal, partner: TestPartner): Promise<void> {
  if ((await partner.get('/profile')).body.data.email_verified) return
  const mail = await portal.mailTo(partner.email, '/verify-email?token=')
  const token = /verify-email\?token=([\w-]+)/.exec(mail)?.[1]
  const confirmed = await partner.post('/auth/verify-email', { token })
  if (confirmed.status !== 200) throw new Error(`the confirmation was answered with ${JSON.stringify(confirmed.body)}`)
}

/** The token in the newest invitation to the address. */
export async function invitationToken(portal: TestPortal, email: string): Promise<string> {
  return /invite\?token=([\w-]+)/.exec(await portal.mailTo(email, '/invite?token='))?.[1] ?? ''
}

type AskPortal = (method: string, path: string, request?: Request) => Promise<Answer>

/** A valid form for a new lead, with the values that the test gives. */
export function newLead(form: object = {}) {
  return {
    firstName: 'Nkem',
    lastName: 'Okafor',
    email: 'nkem@okafor-freight.example',
    phone: '0491 570 156',
    businessName: 'Okafor Freight',
    loanAmount: 150_000,
    loanType: 'Term Loan',
    ...form,
  }
}
