import { cutText } from '../../../platform/cut-text.ts'
import type { DealToPush, LeadToPush } from '../../../records/crm-records.ts'
import type { ModuleSettings } from '../metadata.ts'

/** Zoho's own field, which the field map cannot change. */
export const PIPELINE_FIELD = 'Pipeline'

/** The CRM’s names of the fields that need special treatment in a push. */
export interface PushedFields {
  loid: string
  partner: string
  email: string
  phone: string
  description: string
}

/** The portal's values under the CRM's names. Fields that the map does not name are left out. */
export function named(values: object, fields: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([ours, value]) => (fields[ours] ? [[fields[ours], value]] : [])),
  )
}

/**
 * Cuts text to the length of the CRM's fields, because a lead with a shortened name is better than no lead. Email and
 * phone stay whole, because a shortened address can be another person's. Zoho refuses an email or phone that is too
 * long.
 */
export function fitted(
  record: Record<string, unknown>,
  settings: ModuleSettings | undefined,
  { email, phone }: Pick<PushedFields, 'email' | 'phone'>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => {
      const lengthMax = field === email || field === phone ? null : settings?.get(field)?.lengthMax
      return [field, typeof value === 'string' && lengthMax ? cutText(value, lengthMax) : value]
    }),
  )
}

export function withoutNulls(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined))
}

/** The lead's names in the CRM. Zoho requires a last name for a lead, so a single name becomes the last name. */
export function personNames(lead: Pick<LeadToPush, 'loid' | 'first_name' | 'last_name' | 'business_name'>) {
  const { loid, first_name, last_name, business_name } = lead
  if (last_name !== null) return { first_name, last_name }
  return { first_name: null, last_name: first_name ?? business_name ?? loid }
}

export function dealName(deal: Pick<DealToPush, 'loid' | 'deal_name' | 'business_name'>): string {
  return deal.deal_name ?? deal.business_name ?? deal.loid
}

/** Whether Zoho refused a value that the portal may leave out. */
export function isContactRefused(code: string): boolean {
  return code === 'INVALID_DATA' || code === 'DUPLICATE_DATA'
}

export function isSameText(a: string | null, b: string): boolean {
  return a?.toLowerCase() === b.trim().toLowerCase()
}
