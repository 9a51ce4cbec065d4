import { promises as dns, type LookupAddress } from 'node:dns'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { BODY_BYTES_MAX, URL_LENGTH_MAX } from '@portal/contract/limits.ts'
import { WEBHOOK_URL_NOT_HTTPS } from '@portal/contract/webhooks.ts'
import { http } from '../../platform/node-http.ts'
import { explainBrokenCall } from './explain-broken-call.ts'
import { isPublicAddress } from './public-address.ts'

const CONNECT_MS_MAX = 3_000

/** An answer with any status, including redirects. */
export interface SafeAnswer {
  status: number
  /** Names are in lower case. The values of repeated headers are joined by commas. */
  headers: Record<string, string>
  /** The first 64 KiB, as text that PostgreSQL can store, or as much of them as arrived. */
  body: string
  /** Why the body did not arrive whole, in words for the partner. The status counts nevertheless (D147). */
  bodyFault?: string
}

export interface SafeRequest {
  headers: Record<string, string>
  body: string
  /** Covers the whole call, from the look-up of the name to the last byte. */
  timeoutMs: number
  /** For development: allows loopback, private addresses and http. */
  allowPrivate: boolean
  signal: AbortSignal
}

/** Thrown if the portal must not call a URL. The message is for the partner. */
export class UnsafeAddress extends Error {}

/**
 * Sends a POST to a URL that a stranger chose (D36). Redirects are not followed. Throws UnsafeAddress if the URL, or
 * any address of its name, must not be called. Throws the signal's reason if the signal aborted the call. If the call
 * fails for another reason, throws an Error with a message for the partner. Once a status has arrived, nothing is thrown.
 *
 * The name is resolved only once, and the connection is made only to the checked addresses. So a name server gains
 * nothing by changing its answer after the check. The query goes directly to the name servers, because a look-up by the
 * operating system would occupy one of the few threads that hash passwords, and a stranger's slow name server could
 * block that thread. The operating system's list of hosts is not needed, because it has no public names.
 */
export async function safeFetch(url: string, request: SafeRequest): Promise<SafeAnswer> {
  const fault = findUrlFault(url, request.allowPrivate)
  const target = parseTarget(url)
  if (fault !== undefined || !target) throw new UnsafeAddress(fault)

  const timeout = AbortSignal.timeout(request.timeoutMs)
  const signal = AbortSignal.any([request.signal, timeout])
  try {
    signal.throwIfAborted()
    const addresses = await untilAborted(signal, resolve(target.hostname))
    if (!request.allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
      throw new UnsafeAddress('This address is not on the public internet')
    }
    const answer = await post(target, addresses, request, signal)
    // A body without a content-length ends with the connection, so it looks complete even if the signal has cut it off.
    return signal.aborted ? { ...answer, bodyFault: incomplete(request.timeoutMs) } : answer
  } catch (error) {
    request.signal.throwIfAborted()
    if (timeout.aborted) throw new Error(`No answer within ${inSeconds(request.timeoutMs)}`)
    throw error
  }
}

function incomplete(timeoutMs: number): string {
  return `The answer was not complete within ${inSeconds(timeoutMs)}`
}

function inSeconds(ms: number): string {
  return `${ms / 1_000} seconds`
}

/**
 * Returns why a URL cannot be a webhook URL, as a text for the partner. Does not resolve the name, because every
 * delivery resolves it.
 */
export function findUrlFault(url: string, allowPrivate: boolean): string | undefined {
  if (url.length > URL_LENGTH_MAX) return `Webhook URL must be ${URL_LENGTH_MAX} characters or fewer`
  if (!(allowPrivate ? /^https?:\/\//i : /^https:\/\//i).test(url)) return WEBHOOK_URL_NOT_HTTPS
  // The URL parser drops line breaks and tabs, so the portal would call a different address from the one that people
  // see.
  if (/\s/.test(url)) return 'Webhook URL must not contain spaces'
  const target = parseTarget(url)
  if (!target || target.hostname.split('.').includes('')) return 'Webhook URL is not a valid address'
  if (target.username !== '' || target.password !== '') return 'Webhook URL must not contain a user name or password'
  if (!mayUsePort(target.port, allowPrivate)) return 'Webhook URL must use port 443 or a port from 1024 up'
  if (!allowPrivate && isPrivateHost(target.hostname)) return 'Webhook URL must be on the public internet'
  return undefined
}

/** The URL parser normalises other notations of an IPv4 address, such as 0x7f.1, 2130706433 and ①②⑦.⓪.⓪.①. */
function parseTarget(url: string): URL | null {
  const target = URL.parse(url)
  // A name with a dot at its end is the same host, but certificates have names without the dot.
  if (target?.hostname.endsWith('.')) target.hostname = target.hostname.slice(0, -1)
  return target
}

/** Whether a URL may use this port. An empty port means the protocol's default port. */
function mayUsePort(port: string, allowPrivate: boolean): boolean {
  return port === '' || Number(port) >= 1024 || (allowPrivate && (port === '80' || port === '443'))
}

function isPrivateHost(hostname: string): boolean {
  const literal = withoutBrackets(hostname)
  if (isIP(literal)) return !isPublicAddress(literal)
  return !hostname.includes('.') || /\.(localhost|local|localdomain|internal|lan|home\.arpa)$/.test(hostname)
}

/** Returns the addresses of the host, IPv4 before IPv6. Throws if the name has no address. */
async function resolve(hostname: string): Promise<LookupAddress[]> {
  const literal = withoutBrackets(hostname)
  const family = isIP(literal)
  if (family) return [{ address: literal, family }]
  if (/(^|\.)localhost$/.test(hostname)) {
    return [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]
  }
  // Many names have only one kind of address, and the query for the other kind fails.
  const [ipv4, ipv6] = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)])
  const addresses = [
    ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
    ...(ipv6.status === 'fulfilled' ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
  ]
  if (addresses.length === 0) throw new Error(`The name ${hostname} does not resolve`)
  return addresses
}

async function post(
  target: URL,
  addresses: LookupAddress[],
  { headers, body }: SafeRequest,
  signal: AbortSignal,
): Promise<SafeAnswer> {
  const { request, Agent } = target.protocol === 'https:' ? https : http
  const call = request(target, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    signal,
    // Each call gets a new connection, because a kept connection leads to an address that was checked for another call.
    agent: new Agent({
      lookup: (_hostname, _options, answer) => answer(null, addresses),
      // Addresses are tried one after another. Node's default timeout of a quarter of a second is too short for hosts
      // that are far away.
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: CONNECT_MS_MAX,
    }),
    // Certificates are checked even if the environment turns the check off.
    rejectUnauthorized: true,
  })
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      call.on('response', resolve)
      call.on('error', reject)
      // If an answer switches to another protocol, Node reports no error and only closes the connection.
      call.on('close', () => reject(new Error('no answer')))
      call.end(body)
    })
    return { status: answer.statusCode ?? 0, headers: joinValues(answer.headers), ...(await readStart(answer)) }
  } catch (cause) {
    throw new Error(explainBrokenCall(cause), { cause })
  } finally {
    call.destroy()
  }
}

function joinValues(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
}

async function readStart(answer: IncomingMessage): Promise<Pick<SafeAnswer, 'body' | 'bodyFault'>> {
  const pieces: Buffer[] = []
  let bytes = 0
  let fault: unknown
  try {
    for await (const piece of answer) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes >= BODY_BYTES_MAX) break
    }
  } catch (error) {
    fault = error
  }
  const text = decodeStart(Buffer.concat(pieces)).replaceAll('\0', '\uFFFD')
  // The text may be longer than 64 KiB now, because each byte that is not text has become a replacement character of
  // three bytes.
  const body = decodeStart(Buffer.from(text))
  return fault === undefined ? { body } : { body, bodyFault: explainBrokenCall(fault) }
}

/** Decodes the first 64 KiB. Leaves out a character that is cut off at the end. */
function decodeStart(bytes: Buffer): string {
  return new TextDecoder().decode(bytes.subarray(0, BODY_BYTES_MAX), { stream: true })
}

function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop)
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop))
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}
