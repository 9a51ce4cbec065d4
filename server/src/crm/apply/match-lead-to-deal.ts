import { fold } from '@portal/contract/fold.ts'

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
 * Matches leads to deals (D29). Business name, amount, type and term must be equal, and so must the email or the phone.
 * A missing value never matches. The caller passes the oldest leads and deals first. Each deal gets the oldest
 * matching lead that no earlier deal got.
 */
export function matchLeadsToDeals(leads: readonly MatchableLead[], deals: readonly MatchableDeal[]): Match[] {
  /** The positions of the leads by their keys. For each key, the oldest lead comes last. */
  const places = new Map<string, number[]>()
  leads.forEach((lead, place) => {
    for (const key of keysOf(lead, lead.loan_amount)) {
      const sameKey = places.get(key)
      if (sameKey) sameKey.push(place)
      else places.set(key, [place])
    }
  })
  for (const sameKey of places.values()) sameKey.reverse()
  const taken = new Set<number>()

  function oldestOpen(key: string): number[] {
    const sameKey = places.get(key) ?? []
    while (taken.has(sameKey.at(-1) ?? -1)) sameKey.pop()
    return sameKey.slice(-1)
  }

  return deals.flatMap((deal) => {
    const place = Math.min(...keysOf(deal, deal.amount).flatMap(oldestOpen))
    const lead = leads[place]
    if (!lead) return []
    taken.add(place)
    return [{ lead: lead.loid, deal: deal.loid }]
  })
}

/** Two records match if they share one of these keys. A key combines all the terms with the email or the phone. */
function keysOf(record: Matchable, amount: number | null): string[] {
  const business = businessWords(record.business_name)
  const type = letters(record.loan_type)
  const term = letters(record.loan_term)
  if (!business || !type || !term || amount === null) return []
  const terms = [business, type, term, amount.toFixed(2)].join('|')
  const contacts = [record.email && fold(record.email), phoneDigits(record.phone)]
  return contacts.flatMap((contact, kind) => (contact ? [`${terms}|${kind}|${contact}`] : []))
}

/** Words that name the kind of company, as `fold` writes them. People leave these words out. */
const COMPANY_WORDS = new Set(['pty', 'ltd'])

function businessWords(name: string | null): string {
  const words = fold((name ?? '').replaceAll('&', ' and ').replaceAll('.', ''))
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  const distinct = words.filter((word) => !COMPANY_WORDS.has(word))
  return (distinct.length > 0 ? distinct : words).join('')
}

function letters(text: string | null): string {
  return fold(text ?? '').replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Returns the digits after the country code or the trunk 0, so +61 412…, 0061 412… and 0412… are the same number. */
function phoneDigits(phone: string | null): string {
  return (phone ?? '')
    .replace(/\D/g, '')
    .replace(/^00/, '')
    .replace(/^(?:61|64)(?=\d{8})/, '')
    .replace(/^0+/, '')
}
