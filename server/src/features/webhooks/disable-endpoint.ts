import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import { recordMailNews } from '../../records/events/mail-news.ts'
import { type AttemptOutcome, type ClaimedDelivery, endPendingDeliveries } from './deliveries.queries.ts'
import { markEndpointDisabled } from './endpoints.queries.ts'

export type DisabledReason = 'gone' | 'failing'

/** An endpoint is disabled if every attempt has failed for this long (D35). */
export const FAILING_MS_MAX = 5 * 24 * 3_600_000
/** The status with which a receiver answers if it wants no more deliveries. */
export const GONE = 410

/**
 * Returns why the attempt disables its endpoint, or undefined if it does not. `failing_since` is the value before the
 * attempt.
 */
export function reasonToDisable(
  { failing_since }: Pick<ClaimedDelivery, 'failing_since'>,
  { status, response_status, started_at }: AttemptOutcome,
): DisabledReason | undefined {
  if (response_status === GONE) return 'gone'
  if (status === 'success' || failing_since === null) return undefined
  return Date.parse(started_at) - Date.parse(failing_since) >= FAILING_MS_MAX ? 'failing' : undefined
}

/**
 * Disables the endpoint, ends the partner's waiting deliveries and records the news that the owners get by mail. This
 * happens once, however many deliveries fail at the same time.
 */
export async function disableEndpoint(
  tx: Tx,
  { clock }: Pick<Deps, 'clock'>,
  partnerId: string,
  { url, reason }: { url: string; reason: DisabledReason },
): Promise<void> {
  const now = clock.now()
  // `markEndpointDisabled` checks this time again, because the endpoint may have changed while the attempt was under
  // way.
  const failingSince = reason === 'failing' ? new Date(now.getTime() - FAILING_MS_MAX).toISOString() : null
  const isDisabled = await markEndpointDisabled(tx, partnerId, { url, reason, at: now.toISOString(), failingSince })
  if (!isDisabled) return
  await endPendingDeliveries(tx, partnerId, NOT_SENT[reason])
  await recordMailNews(tx, [
    {
      id: newId(now),
      partnerId,
      kind: 'webhook',
      type: 'endpoint.disabled',
      loid: null,
      data: { url, reason },
      personId: null,
      at: now.toISOString(),
    },
  ])
}

/** For each reason, the log's text for a delivery that gets no further attempt. */
export const NOT_SENT = {
  gone: 'Not sent: the webhook URL was disabled because it answered 410 Gone',
  failing: 'Not sent: the webhook URL was disabled because every delivery failed for five days',
  removed: 'Not sent: the webhook URL was removed',
  inactive: 'Not sent: the account is inactive',
} as const
