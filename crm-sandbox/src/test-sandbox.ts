import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from './sandbox.ts'
import { isObject, type JsonObject } from './wire/wire.ts'

export type Answer = {
  status: number
  /** An empty object if the answer's body is not a JSON object. */
  body: JsonObject
  /** The answer's `data`. */
  rows: JsonObject[]
  headers: Headers
}

type Call = (method: string, path: string, body?: unknown, headers?: { [name: string]: string }) => Promise<Answer>

/** Starts a sandbox for tests. With `now`, its clock stands still until the test moves it. */
export async function startTestSandbox(options: { seed?: boolean; now?: string } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'crm-sandbox-'))
  let now = options.now === undefined ? undefined : Date.parse(options.now)
  const sandbox = await startSandbox({ port: 0, dir, seed: options.seed ?? false, clock: () => now ?? Date.now() })
  // Tests move the clock by days, so their token needs a long lifetime.
  await sendJson(sandbox.url, 'POST', '/sandbox/behaviour', { tokenLifetimeSeconds: 315_360_000 })
  const token = await fetchToken(sandbox.url)
  await sendJson(sandbox.url, 'POST', '/sandbox/behaviour', { tokenLifetimeSeconds: null })

  const call: Call = (method, path, body, headers) =>
    send(sandbox.url, method, path, body, { authorization: `Zoho-oauthtoken ${token}`, ...headers })

  return {
    url: sandbox.url,
    dir,
    token,
    call,
    /** Calls a control of the sandbox itself, which needs no token. */
    control: (method: string, path: string, body?: unknown) => sendJson(sandbox.url, method, path, body),
    setTime(instant: string) {
      now = Date.parse(instant)
    },
    async add(module: string, record: JsonObject): Promise<string> {
      return idOf(await call('POST', `/crm/v8/${module}`, { data: [record] }))
    },
    async coql(query: string): Promise<Answer> {
      return call('POST', '/crm/v8/coql', { select_query: query })
    },
    async [Symbol.asyncDispose]() {
      await sandbox.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export type TestSandbox = Awaited<ReturnType<typeof startTestSandbox>>

export async function fetchToken(url: string): Promise<string> {
  const parameters = { client_id: 'sandbox', client_secret: 'sandbox', refresh_token: 'sandbox' }
  const body = new URLSearchParams({ ...parameters, grant_type: 'refresh_token' })
  const answer: unknown = await (await fetch(`${url}/oauth/v2/token`, { method: 'POST', body })).json()
  if (!isObject(answer) || typeof answer['access_token'] !== 'string') throw new Error(JSON.stringify(answer))
  return answer['access_token']
}

export async function send(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: { [name: string]: string } = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : {}
  const answer = isObject(parsed) ? parsed : {}
  const rows = Array.isArray(answer['data']) ? answer['data'].filter(isObject) : []
  return { status: response.status, body: answer, rows, headers: response.headers }
}

function sendJson(url: string, method: string, path: string, body: unknown) {
  return send(url, method, path, body, body === undefined ? {} : { 'content-type': 'application/json' })
}

/** The value at a dotted path, such as `data.0.details.id`. */
export function at(value: unknown, path: string): unknown {
  let found = value
  for (const step of path.split('.')) {
    if (Array.isArray(found)) found = found[Number(step)]
    else if (isObject(found)) found = found[step]
    else return undefined
  }
  return found
}

export function idOf(answer: Answer): string {
  const id = at(answer.body, 'data.0.details.id')
  if (typeof id !== 'string') throw new Error(`no id in ${JSON.stringify(answer.body)}`)
  return id
}

/**
 * Repeats the condition until it returns something, for up to twenty seconds, because a process may be slow to start.
 */
export async function until<T>(condition: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const result = await condition()
    if (result !== undefined) return result
    if (Date.now() > deadline) throw new Error('waited twenty seconds in vain')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
