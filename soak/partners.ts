import { setTimeout as sleep } from 'node:timers/promises'

export interface Answer {
  status: number
  // Each caller checks the answer that it uses.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export interface Partner {
  number: number
  id: string
  email: string
  get(path: string): Promise<Answer>
  /** What the portal tells a page when it is opened. */
  verify(): Promise<Answer>
  /**
   * Repeats the call, as `get` does, while the portal is away or fails, because a killed portal is started again, and
   * signs in again when a suspension has ended the session. Gives up after two minutes. The idempotency key makes repeats safe (D9).
   */
  post(path: string, body?: object): Promise<Answer>
  /** Puts bytes. Repeats the call as `post` does. */
  putBytes(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<Answer>
  /** Calls once, and returns the status. 503 also stands for a portal that is away. */
  tryOnce(method: string, path: string, body: object): Promise<number>
}

const ANSWER_MS_MAX = 120_000
let keys = 0

export async function signUpPartner(url: string, number: number): Promise<Partner> {
  const form = {
    email: `partner${number}@soak.example`,
    password: 'correct-horse-battery',
    businessName: `Soak Partner ${number} Pty Ltd`,
  }
  const signedUp = await ask(url, 'POST', '/auth/signup', form)
  if (signedUp.status !== 201) throw new Error(`sign-up answered ${JSON.stringify(signedUp.body)}`)
  let token = await tokenOf(url, form)
  const askSignedIn = async (method: string, path: string, body?: object, headers: object = {}): Promise<Answer> => {
    const answer = await ask(url, method, path, body, { ...headers, authorization: `Bearer ${token}` })
    if (answer.status !== 401) return answer
    token = await tokenOf(url, form)
    return askSignedIn(method, path, body, headers)
  }
  return {
    number,
    id: signedUp.body.data.partnerId,
    email: form.email,
    get: (path) => askSignedIn('GET', path),
    verify: () => ask(url, 'POST', '/auth/verify', { token }),
    async tryOnce(method, path, body) {
      const all = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const sent = { method, headers: all, body: JSON.stringify(body) }
      return fetch(`${url}/api${path}`, sent).then(
        (answer) => answer.status,
        () => 503,
      )
    },
    putBytes: (path, bytes) => askSignedIn('PUT', path, bytes),
    post: (path, body) => askSignedIn('POST', path, body, { 'idempotency-key': `soak-${++keys}` }),
  }
}

/** Signs in, as soon as the lender has not suspended the partner. */
async function tokenOf(url: string, { email, password }: { email: string; password: string }): Promise<string> {
  const deadline = Date.now() + ANSWER_MS_MAX
  while (true) {
    const { status, body } = await ask(url, 'POST', '/auth/login', { email, password })
    if (status === 200) return body.token
    if (body.code !== 'ACCOUNT_SUSPENDED' || Date.now() > deadline)
      throw new Error(`signing in was answered with ${status} ${JSON.stringify(body)}`)
    await sleep(100)
  }
}

/** Repeats the call while the portal is away or fails, for at most two minutes. */
export async function ask(
  url: string,
  method: string,
  path: string,
  body?: object,
  headers: object = {},
): Promise<Answer> {
  const isBytes = body instanceof Uint8Array
  const deadline = Date.now() + ANSWER_MS_MAX
  while (true) {
    try {
      const response = await fetch(`${url}/api${path}`, {
        method,
        headers: {
          ...headers,
          ...(body && { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
        },
        body: isBytes ? new Uint8Array(body) : body ? JSON.stringify(body) : null,
      })
      const text = await response.text()
      if (response.status < 500 || response.status === 502) {
        return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
      }
      if (Date.now() > deadline) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
    await sleep(100)
  }
}
