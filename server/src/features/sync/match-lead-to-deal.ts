export interface Matchable {
  loid: string
  business_name: string | null
  loan_type: string | null
  loan_term: string | null
  email: string | null
  phone: string | null
}

export type MatchableLead = Matchable & { loan_amount: number | null }
export type MatchableDeal = Matchable & { amount: number | null }

export interface Match {
  lead: string
  deal: string
}

/**
 * D29: business name, amount, type and term are equal, and the email or the phone is. A missing value matches nothing.
 * Leads and deals come oldest first; a deal takes the oldest lead that matches, and no lead goes to two deals.
 */
export function matchLeadsToDeals(leads: readonly MatchableLead[], deals: readonly MatchableDeal[]): Match[] {
  const open = new Map<string, MatchableLead[]>()
  for (const lead of leads) {
    const key = termsOf(lead, lead.loan_amount)
    if (key !== null) open.set(key, [...(open.get(key) ?? []), lead])
  }
  return deals.flatMap((deal) => {
    const key = termsOf(deal, deal.amount)
    const candidates = key === null ? undefined : open.get(key)
    const index = candidates?.findIndex((lead) => isSameContact(lead, deal)) ?? -1
    const [lead] = index < 0 ? [] : (candidates?.splice(index, 1) ?? [])
    return lead ? [{ lead: lead.loid, deal: deal.loid }] : []
  })
}

/** One text for what must be equal in all of them, or null when one is missing. */
function termsOf(record: Matchable, amount: number | null): string | null {
  const business = businessWords(record.business_name)
  const type = letters(record.loan_type)
  const term = letters(record.loan_term)
  if (!business || !type || !term || amount === null) return null
  return [business, type, term, amount.toFixed(2)].join('|')
}

function isSameContact(lead: Matchable, deal: Matchable): boolean {
  const [email, phone] = [lead.email?.trim().toLowerCase(), phoneDigits(lead.phone)]
  return (!!email && email === deal.email?.trim().toLowerCase()) || (phone !== '' && phone === phoneDigits(deal.phone))
}

/** Words that say what kind of company it is, which people write in many ways or not at all. */
const COMPANY_WORDS = new Set(['pty', 'proprietary', 'ltd', 'limited'])

function businessWords(name: string | null): string {
  const words = (name ?? '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('&', ' and ')
    // An apostrophe joins: O'Brien's is obriens; a full stop too: P.T.Y. is pty.
    .replace(/['’.]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  const distinct = words.filter((word) => !COMPANY_WORDS.has(word))
  return (distinct.length > 0 ? distinct : words).join('')
}

function letters(text: string | null): string {
  return (text ?? '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

/** +61 412…, 0061 412… and 0412… are one number: what counts is what follows the country code or the trunk 0. */
function phoneDigits(phone: string | null): string {
  return (phone ?? '')
    .replace(/\D/g, '')
    .replace(/^00/, '')
    .replace(/^(?:61|64)(?=\d{8})/, '')
    .replace(/^0+/, '')
}
