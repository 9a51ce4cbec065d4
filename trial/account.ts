import { Agent, request } from 'node:http'
import { until } from './processes.ts'

/** A partner of the trial, and its owner's session. */
export interface Account {
  number: number
  email: string
  token: string
}

export interface Answer {
  status: number
  // All the fields that the trial reads from answers.
  body: { token?: string; code?: string; data?: { loid?: string } }
}

export type Ask = (method: string, path: string, options?: AskOptions) => Promise<Answer>
interface AskOptions {
  token?: string
  body?: object
  /** The Idempotency-Key, which makes it safe to repeat the request. */
  key?: string
}

const ANSWER_MS_MAX = 40_000

/** Sends requests over kept-alive connections to the port of the current balancer. Never repeats a request. */
export function openAsk(port: () => number): { ask: Ask; close(): void } {
  const agent = new Agent({ keepAlive: true })

  function ask(method: string, path: string, { token, body, key }: AskOptions = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(key && { 'idempotency-key': key }),
      }
      const call = request(
        { agent, port: port(), host: '127.0.0.1', method, path: `/api${path}`, headers },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
          response.on('error', reject)
          response.on('end', () => {
            const isJson = response.headers['content-type']?.includes('json') === true
            resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : {} })
          })
        },
      )
      call.setTimeout(ANSWER_MS_MAX, () => call.destroy(new Error('no answer')))
      call.on('error', reject)
      call.end(body && JSON.stringify(body))
    })
  }

  return { ask, close: () => agent.destroy() }
}

/** Signs up partners, confirms their email addresses and sets their webhook URLs. */
export async function signUpAll(
  ask: Ask,
  count: number,
  mailTo: (email: string) => string | undefined,
  webhookUrl: string,
): Promise<Account[]> {
  const signUp = async (number: number): Promise<Account> => {
    const account = { email: `caller${number}@example.com`, password: 'correct-horse-battery' }
    await ask('POST', '/auth/signup', { body: { ...account, businessName: `Caller ${number}` } })
    const { body } = await ask('POST', '/auth/login', { body: account })
    if (!body.token) throw new Error(`caller ${number} could not sign in: ${JSON.stringify(body)}`)
    const linkToken = () => /verify-email\?token=([\w-]+)/.exec(mailTo(account.email) ?? '')?.[1]
    await until(`the mail to ${account.email}`, async () => linkToken() !== undefined)
    const confirmed = await ask('POST', '/auth/verify-email', { token: body.token, body: { token: linkToken() } })
    const set = await ask('PUT', '/dashboard/webhook-url', { token: body.token, body: { webhook_url: webhookUrl } })
    for (const { status, body: why } of [confirmed, set]) {
      if (status !== 200) throw new Error(`caller ${number} was answered with ${status}: ${JSON.stringify(why)}`)
    }
    return { number, email: account.email, token: body.token }
  }
  // Two partners sign up at a time, because hashing a password keeps a core busy for a while.
  const accounts: Account[] = []
  for (let i = 0; i < count; i += 2)
    accounts.push(...(await Promise.all([i, i + 1].filter((n) => n < count).map(signUp))))
  return accounts
}
