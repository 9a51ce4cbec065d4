import { LEAD_VERDICT } from './lead-fields.ts'
import type { ValuesOf } from './record-fields.ts'

export type Verdict = ValuesOf<typeof LEAD_VERDICT>

/**
 * The verdict in one line, for example 'Already with us: applied in May' or 'Yours until Mar 3, 2027'. Null if the lender
 * has said nothing.
 */
export function verdictText({ partner_verdict, verdict_reason, protected_until }: Verdict): string | null {
  if (!partner_verdict && !verdict_reason && !protected_until) return null
  const until = protected_until && `until ${dayInWords(protected_until)}`
  const verdict = [partner_verdict ?? (until && 'Protected'), until].filter(Boolean).join(' ')
  return [verdict, verdict_reason].filter(Boolean).join(': ')
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** For example 'Mar 3, 2027'. */
function dayInWords(day: string): string {
  const [year, month, date] = day.split('-').map(Number)
  return `${MONTHS[(month ?? 1) - 1]} ${date}, ${year}`
}
