import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import PQueue from 'p-queue'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { CrmUnavailable } from '../../platform/errors.ts'
import { servedPartner } from '../../platform/served-partner.ts'
import { currentTrace, inSpan, type Span, type SpanStart, type Trace, traceparent } from '../../platform/trace.ts'
import { callPriority, isInBackground, isTrial } from './call-order.ts'
import type { CrmClock } from './crm-clock.ts'
import { CrmAddressRefused, CrmSilent, CrmUnanswered } from './errors.ts'
import { readText, sendRequest } from './http-request.ts'
import { priceOf } from './prices.ts'
import type { SharedLimits } from './shared-limits.ts'

export interface AccessToken {
  value: string
  apiDomain: string
}

export interface Tokens {
  current(): Promise<AccessToken>
  /**
   * Called after Zoho refused the token `rejected`. Returns another process's newer token if there is one, otherwise a
   * new token.
   */
  replace(rejected: string): Promise<AccessToken>
  /** Called when a token worked. */
  accepted(): void
  /** Called when Zoho refused a token that had just replaced a refused one. */
  refusedAgain(): Promise<void>
}

export interface ZohoCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The path after `/crm/v8/`. */
  path: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: object
  /** Sent as a multipart form instead of a body. */
  file?: FileToSend
  /** Whether the answer is a file: its `body` is then a `Readable`, unless the CRM refuses. */
  opensFile?: boolean
  /**
   * False for a plain create, which must not be sent again if its answer was lost. After a 429 it can be sent again.
   */
  isRepeatable: boolean
  /** How often the call is sent at most. Without it, as often as other calls. */
  attemptsMax?: number | undefined
  signal?: AbortSignal | undefined
}

/** A file that is read while it is sent, so that it is never in memory as a whole. */
export interface FileToSend {
  name: string
  size: number
  /** Reads the file from its beginning. Called once for each attempt. */
  read(): AsyncIterable<Uint8Array>
}

/** The statuses 204 and 304 mean success without a body. */
export interface ZohoAnswer {
  status: number
  body: unknown
}

export interface ZohoClient {
  /** Returns answers with 2xx, 304 or a 4xx about the request. All other answers become `CrmUnavailable`. */
  send(call: ZohoCall): Promise<ZohoAnswer>
}

export interface RetryTuning {
  attemptsMax: number
  /** The upper bound of the first delay. It doubles with every attempt. */
  firstDelayMs: number
}

const ZOHO_RETRY: RetryTuning = { attemptsMax: 6, firstDelayMs: 1_000 }
const DELAY_MS_MAX = 60_000
/** A trial does not wait for a CRM that asks for a pause. */
const TRIAL_RETRY = { attemptsMax: 2, delayMsMax: 1_000 }
const CALL_MS_MAX = 20_000
/** The background has all its calls only so long after the last call of others. */
const QUIET_MS = 250
const LOOK_MS = 50
const NO_ANSWER = 'The CRM does not answer at the moment.'
const OUT_OF_CREDITS =
  'Today’s calls to the CRM are used up. Nothing is lost: what waits goes to the CRM as soon as it takes calls again.'
/** A call that sends or opens a file may take this long as a whole. */
const FILE_MS_MAX = 300_000

interface Progress {
  /** The partner to which the call's credits count. Read early, because the queue can run a call in another's context. */
  partnerId: string | undefined
  /** Whether the call was sent and no answer has come. The queue forgets a call whose caller has stopped waiting. */
  isUnanswered: boolean
}

type Failure = { reason: string; retryAfterMs: number; isOutOfCredits?: boolean; cause?: unknown }

export function openClient(options: {
  tokens: Tokens
  log: Logger
  limits: Pick<SharedLimits, 'refresh' | 'callsAtOnceMax' | 'add' | 'told'>
  crmClock: Pick<CrmClock, 'hear'>
  retry?: RetryTuning
}): ZohoClient {
  const { tokens, log, limits, crmClock, retry = ZOHO_RETRY } = options
  const queue = new PQueue({ concurrency: limits.callsAtOnceMax() })
  const inOrder = openOrder()

  async function send(call: ZohoCall, progress: Progress): Promise<ZohoAnswer> {
    // The trace is read now, because the queue can run this call in another call's context.
    const trace = currentTrace()
    const priority = callPriority()
    let rejectedToken: string | undefined
    for (let attempt = 1; ; attempt++) {
      const token = await unlessAborted(
        rejectedToken === undefined ? tokens.current() : tokens.replace(rejectedToken),
        call.signal,
      )
      await unlessAborted(limits.refresh(), call.signal)
      // This process's share of the simultaneous calls may have changed.
      queue.concurrency = limits.callsAtOnceMax()
      const outcome = await queue.add(
        () => inSpan(spanOf(call), (span) => sendOnce(call, progress, token, span?.trace ?? trace, span), trace),
        { signal: call.signal, priority },
      )
      if ('answer' in outcome) {
        const code = outcome.answer.status === 401 ? errorCode(outcome.answer.body) : undefined
        if (code !== 'INVALID_TOKEN') tokens.accepted()
        else if (rejectedToken !== undefined) await tokens.refusedAgain()
        if (code === undefined) return outcome.answer
        if (code !== 'INVALID_TOKEN' || rejectedToken !== undefined) {
          log.error({ code, path: call.path }, 'the CRM does not accept the portal')
          throw new CrmUnavailable(`The CRM does not accept the portal (${code}).`)
        }
        rejectedToken = token.value
        continue
      }
      const { failure, mayRepeat } = outcome
      log.warn({ path: call.path, reason: failure.reason, attempt }, 'a call to the CRM failed')
      if (failure.isOutOfCredits) throw new CrmUnavailable(OUT_OF_CREDITS)
      const { attemptsMax, delayMsMax } = isTrial() ? TRIAL_RETRY : { ...retry, delayMsMax: DELAY_MS_MAX }
      if (!mayRepeat || attempt >= (call.attemptsMax ?? attemptsMax) || failure.retryAfterMs > delayMsMax) {
        const cause = failure.cause ?? new Error(failure.reason)
        throw mayRepeat ? new CrmSilent(NO_ANSWER, whyOf(failure), cause) : new CrmUnanswered(NO_ANSWER, cause)
      }
      // Full jitter, so that clients that failed together do not retry together.
      const delayMs = Math.random() * Math.min(delayMsMax, retry.firstDelayMs * 2 ** (attempt - 1))
      await sleep(Math.max(delayMs, failure.retryAfterMs), undefined, { signal: call.signal }).catch((error) =>
        throwInterrupted(call.signal, error),
      )
    }
  }

  async function sendOnce(
    call: ZohoCall,
    progress: Progress,
    token: AccessToken,
    trace: Trace | undefined,
    span: Span | undefined,
  ): Promise<{ answer: ZohoAnswer } | { failure: Failure; mayRepeat: boolean }> {
    // Lets overdue timers run first: if the process was paused, one of them may end this call's lease.
    if (!call.isRepeatable) await sleep(0)
    call.signal?.throwIfAborted()
    const request = requestOf(call, token, trace)
    limits.add(priceOf(call), progress.partnerId)
    progress.isUnanswered = true
    try {
      const response = await sendRequest(...request)
      const { statusCode: status = 0, headers } = response
      const isFile = call.opensFile === true && status === 200
      const text = isFile ? '' : await readText(response)
      progress.isUnanswered = false
      span?.answered(status)
      crmClock.hear(headers.date)
      limits.told(readCreditsLeft(headers['x-api-credits-remaining']))
      if (status === 429 || status >= 500) {
        const retryAfterMs = readRetryAfter(headers)
        const isOutOfCredits = status === 429 && /\bcredits\b/i.test(text)
        const failure = { reason: `HTTP ${status}`, retryAfterMs, isOutOfCredits }
        return { failure, mayRepeat: status === 429 || call.isRepeatable }
      }
      if (status >= 400 && !isJson(text)) {
        throw new CrmAddressRefused(`The CRM refuses this machine: HTTP ${status} with a page instead of an answer.`)
      }
      if (isFile) return { answer: { status, body: response } }
      return { answer: { status, body: text === '' ? null : JSON.parse(text) } }
    } catch (error) {
      if (error instanceof CrmAddressRefused) throw error
      if (call.signal?.aborted) throwInterrupted(call.signal, error)
      span?.failed(error)
      const reason = error instanceof SyntaxError ? 'an answer that is not JSON' : 'no answer'
      return { failure: { reason, retryAfterMs: 0, cause: error }, mayRepeat: call.isRepeatable }
    }
  }

  return {
    // A caller whose time is up gets `CrmUnavailable`. A caller that stopped the call gets its own reason.
    send(call) {
      const progress = { partnerId: servedPartner.getStore(), isUnanswered: false }
      return inOrder(call.signal, () => send(call, progress)).catch((error) => {
        if (error instanceof CrmUnanswered) throw error
        const mayArrive = progress.isUnanswered && !call.isRepeatable
        throwInterrupted(call.signal, error, mayArrive ? CrmUnanswered : CrmUnavailable)
      })
    },
  }
}

/**
 * The client that reads records, histories and notes. It makes no calls while few of the day's credits are left (D57).
 * Pushes use another client for their reads.
 */
export function sparing(client: ZohoClient, limits: Pick<SharedLimits, 'refresh' | 'isShort'>): ZohoClient {
  return {
    async send(call) {
      await limits.refresh()
      if (limits.isShort()) {
        throw new CrmUnavailable(
          'Today’s calls to the CRM are nearly used up. New leads, deals and notes still go to the CRM, but changes made in the CRM arrive later.',
        )
      }
      return client.send(call)
    },
  }
}

/** The address and the rest of the request with which a call is sent once. */
function requestOf(call: ZohoCall, token: AccessToken, trace: Trace | undefined): Parameters<typeof sendRequest> {
  const url = new URL(`/crm/v8/${call.path}`, token.apiDomain)
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value)
  const headers: Record<string, string> = { ...call.headers, authorization: `Zoho-oauthtoken ${token.value}` }
  if (call.body) headers['content-type'] = 'application/json'
  if (!call.opensFile) headers['accept-encoding'] = 'gzip'
  if (trace) headers['traceparent'] = traceparent(trace)
  const form = call.file && multipart(call.file)
  Object.assign(headers, form?.headers)
  const timeout = AbortSignal.timeout(call.file || call.opensFile ? FILE_MS_MAX : CALL_MS_MAX)
  const request = {
    method: call.method,
    headers,
    body: form ? form.body : call.body && JSON.stringify(call.body),
    signal: call.signal ? AbortSignal.any([call.signal, timeout]) : timeout,
  }
  return [url, request]
}

/**
 * The order of foreground and background. While other calls run or have just ended, so that more of them may follow, the
 * background makes one call at a time: it leaves them the rest of the simultaneous calls, and gets on even if they
 * never end.
 */
function openOrder() {
  const foreground = { calls: 0, endedAt: Number.NEGATIVE_INFINITY }
  const background = { calls: 0 }
  const isQuiet = () => foreground.calls === 0 && performance.now() >= foreground.endedAt + QUIET_MS

  return async function inOrder<Answer>(signal: AbortSignal | undefined, send: () => Promise<Answer>): Promise<Answer> {
    const isBackground = isInBackground()
    while (isBackground && background.calls > 0 && !isQuiet()) {
      await sleep(LOOK_MS, undefined, { signal }).catch((error) => throwInterrupted(signal, error))
    }
    const order = isBackground ? background : foreground
    order.calls += 1
    try {
      return await send()
    } finally {
      order.calls -= 1
      if (!isBackground) foreground.endedAt = performance.now()
    }
  }
}

/** A form with one file. Its length is known, so that the CRM learns at once of a file that breaks off. */
function multipart({ name, size, read }: FileToSend) {
  const boundary = `portal-${randomUUID()}`
  const head = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name.replace(/[\r\n"\\]/g, '_')}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  async function* pieces() {
    yield head
    yield* read()
    yield tail
  }
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.byteLength + size + tail.byteLength),
    },
    body: pieces(),
  }
}

/** The last answer in words, and until when the CRM asks the portal to wait. */
function whyOf({ reason, retryAfterMs }: Failure): string {
  if (retryAfterMs === 0) return `Its last answer was: ${reason}`
  const until = new Date(Date.now() + retryAfterMs).toISOString().slice(11, 19)
  return `It answers ${reason} and asks for a pause until ${until} UTC`
}

/** Describes a call as a span. The span's name contains the path without ids. */
function spanOf({ method, path }: ZohoCall): SpanStart {
  return {
    name: `${method} ${path.replace(/\d{4,}/g, ':id')}`,
    kind: 'client',
    attributes: { 'http.request.method': method },
  }
}

/**
 * Posts a form to the token endpoint, which is outside the API and needs no access token. Returns only the body,
 * because the status does not tell success from failure.
 */
export async function postForm(url: string, body: URLSearchParams, timeoutMs: number): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs)
  return inSpan({ name: 'POST token', kind: 'client' }, async (span) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await sendRequest(new URL(url), { method: 'POST', headers, body: body.toString(), signal })
    span?.answered(response.statusCode ?? 0)
    return JSON.parse(await readText(response))
  })
}

function throwInterrupted(signal: AbortSignal | undefined, error: unknown, TooLate = CrmUnavailable): never {
  if (!signal?.aborted) throw error
  const reason: unknown = signal.reason
  const isTimeout = reason instanceof DOMException && reason.name === 'TimeoutError'
  throw isTimeout ? new TooLate('The CRM did not answer in time.', reason) : reason
}

/** Ends one caller's wait when the signal aborts. The work itself continues, because other callers also wait for it. */
async function unlessAborted<Result>(wanted: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return wanted
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([wanted, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/**
 * Reads the header with the number of remaining credits. Zoho leaves it out while more than half of the day's credits
 * are left.
 */
function readCreditsLeft(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,9}$/.test(header) ? Number(header) : null
}

/**
 * Reads a delay, which can be a number of seconds or a date. Zoho documents neither form, but gateways in front of Zoho
 * send both. A date is by the sender's clock, as the answer's own date is.
 */
function readRetryAfter(headers: IncomingHttpHeaders): number {
  const header = headers['retry-after']
  if (header === undefined) return 0
  const seconds = Number(header)
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.parse(headers.date ?? '') : seconds * 1_000
  return Number.isNaN(ms) ? 0 : Math.max(0, ms)
}

function isJson(text: string): boolean {
  return text === '' || /^\s*[[{]/.test(text)
}

const Refusal = z.object({ code: z.string() })

export function errorCode(body: unknown): string {
  const parsed = Refusal.safeParse(body)
  return parsed.success ? parsed.data.code : 'UNKNOWN'
}
