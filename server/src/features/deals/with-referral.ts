import { REFERRAL_FIELDS } from '@portal/contract/deals.ts'
import type { OpenedDeal } from '../../records/deals/deals.queries.ts'

type ReferralField = (typeof REFERRAL_FIELDS)[number]

/** The fields of a lead that its deal can lack. */
type Referral = Record<Exclude<ReferralField, 'contact_name'> | 'lead_name', string | null>

/**
 * Fills the deal's empty fields from the leads that it came from, and names these fields. Staff who enter a deal by hand
 * often leave out the contact, the purpose and the ISO (D124).
 */
export function withReferral(
  deal: OpenedDeal,
  leads: readonly Referral[],
): OpenedDeal & { from_referral: ReferralField[] } {
  const taken = REFERRAL_FIELDS.flatMap((field) => {
    const value = leads.map((lead) => lead[field === 'contact_name' ? 'lead_name' : field]).find((one) => one !== null)
    return deal[field] === null && value !== undefined ? [[field, value] as const] : []
  })
  return { ...deal, ...Object.fromEntries(taken), from_referral: taken.map(([field]) => field) }
}
