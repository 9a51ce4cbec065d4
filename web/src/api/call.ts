import type { Failure as FailureBody, Pagination } from '@portal/contract/answer.ts'
import { API_TIMEOUT_MS } from '@portal/contract/limits.ts'
import { ROLE_HEADER, roleOf } from '@portal/contract/roles.ts'
import type { PathParams, Route } from '@portal/contract/route.ts'
import type * as z from 'zod/mini'
import { defaultMessage } from './default-messages.ts'
import { confirmAgain, leadToSecondFactor } from './demands.ts'
import { takeEarlyCall } from './early-calls.ts'
import { Failure, OFFLINE } from './failure.ts'
import { storeRole } from './role.ts'
import { dropToken, readToken } from './token.ts'

export const API_BASE: string = import.meta.env['VITE_API_BASE'] ?? '/api'

type Schema = z.ZodMiniType
type Input<S> = S extends Schema ? z.input<S> : never

/** The parts of a route that the build keeps (`web/vite/lean-contract.ts`). */
type Address = Pick<Route, 'method' | 'path' | 'auth'> & Partial<Pick<Route, 'envelope'>>

/** The result of a route: its answer, the answer with its pagination, or the interim answer while work goes on. */
export type Answer<R extends Route> =
  | (R['envelope'] extends 'paged' ? { data: z.output<R['answer']>; pagination: Pagination } : z.output<R['answer']>)
  | (R['accepted'] extends Schema ? z.output<R['accepted']> : never)

/** The input that a route needs. A part that the route does not have cannot be given. */
export type Request<R extends Route> = {
  signal?: AbortSignal
  /** A submission repeated with the same key creates only one record (D9). */
  idempotencyKey?: string
  /** The body of a route that takes bytes. */
  bytes?: Blob
} & (keyof PathParams<R['path']> extends never ? { params?: never } : { params: PathParams<R['path']> }) &
  (R['query'] extends Schema ? { query?: Input<R['query']> } : { query?: never }) &
  (R['body'] extends Schema ? { body: Input<R['body']> } : { body?: never })

type Arguments<R extends Route> =
  Record<never, never> extends Request<R> ? [request?: Request<R>] : [request: Request<R>]

/**
 * Calls a route of the contract. If the server asks for a confirmation and the person gives it, calls the route once
 * more. Throws every error as a `Failure`, except the caller's own abort.
 */
export async function call<R extends Route>(route: R, ...given: Arguments<R>): Promise<Answer<R>> {
  try {
    return await callOnce(route, ...given)
  } catch (error) {
    const demand = error instanceof Failure && error.status === 403 ? error.code : undefined
    if (demand === 'SECOND_FACTOR_REQUIRED') leadToSecondFactor()
    if (demand !== 'CONFIRM_PASSWORD' || !(await confirmAgain())) throw error
    return callOnce(route, ...given)
  }
}

async function callOnce<R extends Route>(route: R, ...[request]: Arguments<R>): Promise<Answer<R>> {
  const token = readToken()
  const { response, body } = await send(route, request ?? {}, token)
  const role = roleOf(response.headers.get(ROLE_HEADER))
  if (role && token !== null && token === readToken()) storeRole(role)
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the server made it with the same contract
  if (response.ok && isEnvelope(body)) return unwrap(route, body) as Answer<R>
  const failure = failureOf(route, response, body)
  const isSessionCall = route.auth === 'session' || route.auth === 'session-or-api-key'
  if (isSessionCall && token && failure.status === 401 && failure.code === 'UNAUTHORIZED') dropToken(token)
  throw failure
}

interface LooseRequest {
  params?: Record<string, string>
  query?: unknown
  body?: unknown
  signal?: AbortSignal
  idempotencyKey?: string
  bytes?: Blob
}

/** Sends the request and reads the whole answer. `body` is null if the answer is not JSON. */
async function send(
  route: Address,
  request: LooseRequest,
  token: string | null,
): Promise<{ response: Response; body: unknown }> {
  const timeout = AbortSignal.timeout(API_TIMEOUT_MS)
  const { body: sent, bytes, signal, idempotencyKey } = request
  const headers = new Headers({ accept: 'application/json' })
  if (token && route.auth !== 'none') headers.set('authorization', `Bearer ${token}`)
  if (bytes) headers.set('content-type', 'application/octet-stream')
  else if (sent !== undefined) headers.set('content-type', 'application/json')
  if (idempotencyKey) headers.set('idempotency-key', idempotencyKey)
  try {
    const address = addressOf(route, request)
    const response = await (takeEarlyCall(`${route.method} ${address}`, token) ??
      fetch(address, {
        method: route.method,
        headers,
        body: bytes ?? (sent === undefined ? null : JSON.stringify(sent)),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      }))
    return { response, body: readJson(await response.text()) }
  } catch (cause) {
    if (signal?.aborted) throw cause
    if (timeout.aborted)
      throw new Failure(0, 'The server took too long to answer. Please try again.', { code: 'TIMEOUT', cause })
    if (!navigator.onLine) throw new Failure(0, OFFLINE, { code: 'OFFLINE', cause })
    throw new Failure(0, 'Network error', { code: 'NETWORK', cause })
  }
}

/** The address of a call, with its parameters. */
export function addressOf(route: Pick<Address, 'path'>, { params = {}, query }: LooseRequest): string {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value))
  }
  return `${API_BASE}${path}${search.size > 0 ? `?${search}` : ''}`
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

interface Envelope extends Partial<Omit<FailureBody, 'success'>> {
  success: boolean
  data?: unknown
  pagination?: unknown
}

function isEnvelope(body: unknown): body is Envelope {
  return typeof body === 'object' && body !== null && 'success' in body
}

function unwrap(route: Address, body: Envelope): unknown {
  if (route.envelope === 'bare') return body
  return route.envelope === 'paged' ? { data: body.data, pagination: body.pagination } : body.data
}

function failureOf(route: Address, response: Response, body: unknown): Failure {
  const { error, code, fields, removed }: Partial<Envelope> = isEnvelope(body) ? body : {}
  return new Failure(response.status, error || defaultMessage(route), { code: code ?? '', fields, removed })
}
