import type { Deps } from '../../deps.ts'
import type { Secrets } from '../../platform/db/secrets.ts'
import { inSpan, type Spans, traceOf, traceparent } from '../../platform/trace.ts'
import type { AttemptOutcome, ClaimedDelivery } from './deliveries.queries.ts'
import { GONE } from './disable-endpoint.ts'
import { readSecret } from './read-secret.ts'
import { nextAttemptAt, retryAfterMs } from './retry-schedule.ts'
import { type SafeAnswer, safeFetch } from './safe-fetch.ts'
import { signatureHeaders } from './sign-delivery.ts'

/** The receiver must answer within this time (D35). */
export const ATTEMPT_MS_MAX = 15_000

/**
 * Makes one attempt at a delivery and returns its outcome. Returns undefined if `signal` ended the attempt, because
 * then nobody knows whether the request arrived.
 */
export async function attemptDelivery(
  { clock, config, secrets, spans }: Pick<Deps, 'clock' | 'config' | 'secrets' | 'spans'>,
  delivery: ClaimedDelivery & { url: string },
  signal: AbortSignal,
): Promise<AttemptOutcome | undefined> {
  const startedAt = clock.now()
  const startedMs = performance.now()
  const answer = await send(delivery, signingSecrets(secrets, delivery, startedAt), {
    at: startedAt,
    allowPrivate: config.webhookAllowPrivate,
    spans,
    signal,
  })
  if (signal.aborted && answer instanceof Error) return undefined

  const now = clock.now()
  const number = delivery.attempts + 1
  const failures = number - delivery.attempts_before
  const attempt = {
    id: delivery.id,
    partner_id: delivery.partner_id,
    number,
    endpoint: delivery.url,
    started_at: startedAt.toISOString(),
    duration_ms: Math.round(performance.now() - startedMs),
  }
  if (answer instanceof Error) {
    const next = nextAttemptAt(failures, now, Math.random())
    return {
      ...attempt,
      status: next ? 'pending' : 'error',
      response_status: null,
      response_body: null,
      error_message: answer.message,
      next_attempt_at: next?.toISOString() ?? null,
    }
  }
  const answered = { ...attempt, response_status: answer.status, response_body: answer.body }
  if (isSuccess(answer.status)) {
    // The receiver has the delivery, so it does not get it again because of what it answered beside the status (D147).
    return { ...answered, status: 'success', error_message: answer.bodyFault ?? null, next_attempt_at: null }
  }
  const isGone = answer.status === GONE
  const next = isGone ? undefined : nextAttemptAt(failures, now, Math.random(), retryAfterMs(answer, now))
  return {
    ...answered,
    status: next ? 'pending' : 'failed',
    error_message: answeredText(answer.status),
    next_attempt_at: next?.toISOString() ?? null,
  }
}

/**
 * Returns the receiver's answer, or the error that prevented an answer. Never throws, because a receiver's failure is
 * not an error of the portal.
 */
async function send(
  { id, url, body, attempts }: ClaimedDelivery & { url: string },
  signedBy: string[],
  {
    at,
    allowPrivate,
    spans,
    signal,
  }: { at: Date; allowPrivate: boolean; spans: Spans | undefined; signal: AbortSignal },
): Promise<SafeAnswer | Error> {
  try {
    if (signedBy.length === 0) throw new Error('The signing secret cannot be read: rotate it on the Webhook page')
    const signatures = signatureHeaders({ id, at, body }, signedBy)
    // All attempts of a delivery belong to one trace, which has the delivery's id.
    const trace = { ...traceOf(id), spans }
    const what = { name: 'deliver', kind: 'client', attributes: { 'portal.delivery.attempt': attempts + 1 } } as const
    return await inSpan(
      what,
      async (span) => {
        const headers = {
          'content-type': 'application/json',
          'user-agent': 'Partner-Portal-Webhooks',
          traceparent: traceparent(span?.trace ?? trace),
          ...signatures,
        }
        const answer = await safeFetch(url, { headers, body, timeoutMs: ATTEMPT_MS_MAX, allowPrivate, signal })
        span?.answered(answer.status)
        return answer
      },
      trace,
    )
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/**
 * Returns the secrets that sign the delivery. The previous secret also signs for a day after it was replaced (D35). A
 * secret that no key opens is left out.
 */
function signingSecrets(secrets: Secrets, delivery: ClaimedDelivery, at: Date): string[] {
  const { secret, previous_secret, previous_secret_until } = delivery
  const isPreviousValid = previous_secret !== null && (previous_secret_until ?? '') > at.toISOString()
  const stored = isPreviousValid ? [secret, previous_secret] : [secret]
  return stored.flatMap((one) => readSecret(secrets, one, delivery.partner_id) ?? [])
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function answeredText(status: number): string {
  if (status >= 300 && status < 400) return `The endpoint answered ${status}; redirects are not followed`
  return `The endpoint answered ${status}`
}
