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
  /**
   * Repeats the call, as `get` does, while the portal is away or fails, because a killed portal is started again. Gives
   * up after two minutes. The idempotency key makes repeats safe (D9).
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
  const signedIn = await ask(url, 'POST', '/auth/login', { email: form.email, password: form.password })
  const headers = { authorization: `Bearer ${signedIn.body.token}` }
  return {
    number,
    id: signedUp.body.data.partnerId,
    email: form.email,
    get: (path) => ask(url, 'GET', path, undefined, headers),
    async tryOnce(method, path, body) {
      const all = { ...headers, 'content-type': 'application/json' }
      const sent = { method, headers: all, body: JSON.stringify(body) }
      return fetch(`${url}/api${path}`, sent).then(
        (answer) => answer.status,
        () => 503,
      )
    },
    putBytes: (path, bytes) => ask(url, 'PUT', path, bytes, headers),
    post: (path, body) => ask(url, 'POST', path, body, { ...headers, 'idempotency-key': `soak-${++keys}` }),
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
