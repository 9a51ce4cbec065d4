import type { Deps } from '../../deps.ts'
import { findPartnersByZohoId, findPartnersCameAt } from '../../records/partners/partners.queries.ts'
import type { Pull } from './pull.ts'
import { findSyncedPartners } from './run/sync-runs.queries.ts'

/**
 * A pull for all partners. Records that are older than their partner's account are not news until the partner's first
 * sync. Newer records are news, and so is every change to a record that the portal already has, even if the record
 * belonged to another partner (D35).
 */
export function pullForAll(deps: Deps, kind: 'leads' | 'deals', signal: AbortSignal): Pull {
  return {
    deps,
    signal,
    async ownersOf(zohoIds) {
      const partners = await findPartnersByZohoId(deps.db, [...new Set(zohoIds)])
      // A partner that the lender has not let in yet is shown nothing (D116).
      const open = partners.filter((partner) => partner.sign_up === 'open' || partner.opened_at !== null)
      return new Map(open.map((partner) => [partner.zoho_id, partner]))
    },
    mayRemoveFrom: () => true,
    async newsOf(partnerIds) {
      const ids = [...new Set(partnerIds)]
      const synced = await findSyncedPartners(deps.db, ids, kind)
      const partners = await findPartnersCameAt(deps.db, ids)
      // Rounded down, because the CRM gives whole seconds.
      const cameAt = new Map(
        partners.map(({ id, created_at }) => [id, Math.floor(Date.parse(created_at) / 1_000) * 1_000]),
      )
      return (partnerId, record, isKnown) =>
        isKnown || synced.has(partnerId) || Date.parse(record.created_at) >= (cameAt.get(partnerId) ?? Infinity)
    },
  }
}
