import type { Db, Tx } from '../../platform/db/database.ts'
import type { WebhookEndpointRow } from '../../platform/db/tables.ts'

export function findEndpoint(db: Db | Tx, partnerId: string): Promise<WebhookEndpointRow | undefined> {
  return db.selectFrom('webhook_endpoints').selectAll().where('partner_id', '=', partnerId).executeTakeFirst()
}

/** Sets the partner's URL. An existing endpoint keeps its secret, is enabled again and no longer counts as failing. */
export function saveEndpoint(
  db: Db,
  partnerId: string,
  { url, secret, at, by }: { url: string; secret: string; at: string; by: string },
): Promise<WebhookEndpointRow> {
  const fresh = { url, failing_since: null, disabled_at: null, disabled_reason: null, updated_at: at, made_by: by }
  return db
    .insertInto('webhook_endpoints')
    .values({
      ...fresh,
      partner_id: partnerId,
      secret,
      previous_secret: null,
      previous_secret_until: null,
      created_at: at,
      secret_made_by: by,
    })
    .onConflict((conflict) => conflict.column('partner_id').doUpdateSet(fresh))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Removes the partner's URL. Returns false if there was no URL. */
export async function removeEndpoint(tx: Tx, partnerId: string): Promise<boolean> {
  const removal = await tx.deleteFrom('webhook_endpoints').where('partner_id', '=', partnerId).executeTakeFirst()
  return removal.numDeletedRows > 0n
}

/** Sets a new secret. The old secret stays valid until the given time. An even older secret becomes invalid at once. */
export function replaceSecret(
  db: Db,
  partnerId: string,
  { secret, previousUntil, at, by }: { secret: string; previousUntil: string; at: string; by: string },
): Promise<WebhookEndpointRow | undefined> {
  return db
    .updateTable('webhook_endpoints')
    .set((eb) => ({
      secret,
      previous_secret: eb.ref('secret'),
      previous_secret_until: previousUntil,
      updated_at: at,
      secret_made_by: by,
    }))
    .where('partner_id', '=', partnerId)
    .returningAll()
    .executeTakeFirst()
}

/**
 * Disables the endpoint if it still has this URL and has been failing since `failingSince` or earlier. If
 * `failingSince` is null, the endpoint need not be failing. Returns false if this call changed nothing, for example
 * because the endpoint was already disabled.
 */
export async function markEndpointDisabled(
  tx: Tx,
  partnerId: string,
  {
    url,
    reason,
    at,
    failingSince,
  }: { url: string; reason: 'gone' | 'failing'; at: string; failingSince: string | null },
): Promise<boolean> {
  const row = await tx
    .updateTable('webhook_endpoints')
    .set({ disabled_at: at, disabled_reason: reason })
    .where('partner_id', '=', partnerId)
    .where('url', '=', url)
    .where('disabled_at', 'is', null)
    .$if(failingSince !== null, (query) => query.where('failing_since', '<=', failingSince))
    .returning('partner_id')
    .executeTakeFirst()
  return row !== undefined
}

/** The URLs that get events now, by partner. Leaves out disabled endpoints and the endpoints of inactive partners. */
export async function findActiveEndpointsOfPartners(
  tx: Tx,
  partnerIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('webhook_endpoints')
    .innerJoin('partners', 'partners.id', 'webhook_endpoints.partner_id')
    .select(['webhook_endpoints.partner_id', 'webhook_endpoints.url'])
    .where('webhook_endpoints.partner_id', 'in', partnerIds)
    .where('webhook_endpoints.disabled_at', 'is', null)
    .where('partners.is_active', '=', true)
    .execute()
  return new Map(rows.map(({ partner_id, url }) => [partner_id, url]))
}
