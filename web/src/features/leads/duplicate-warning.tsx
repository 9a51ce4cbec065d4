import type { DuplicateLead } from '@portal/contract/leads.ts'
import { paths } from '../../app/paths.ts'
import { formatDayAndMonth } from '../../format/dates.ts'
import { Link } from '../../router/link.tsx'
import { Alert } from '../../ui/alert.tsx'
import { textLinkClass } from '../../ui/description-list.tsx'

const SHOWN_MAX = 3

/**
 * Warns that a lead for the same applicant may have been submitted recently (D18a). The links open in a new tab, so
 * that the person does not leave the form.
 */
export function DuplicateWarning({ duplicates }: { duplicates: readonly DuplicateLead[] }) {
  if (duplicates.length === 0) return null
  return (
    <Alert kind="warning">
      {duplicates.slice(0, SHOWN_MAX).map(({ loid, business_name, created_at, matches }) => (
        <p key={loid}>
          Looks like{' '}
          <Link {...paths.lead(loid)} target="_blank" className={textLinkClass}>
            {loid}
            <span className="sr-only"> (opens in a new tab)</span>
          </Link>{' '}
          from {formatDayAndMonth(created_at)}
          {business_name && <>: {business_name}</>}, same {matches.map((match) => NAMES[match]).join(' and ')}
        </p>
      ))}
    </Alert>
  )
}

const NAMES = { email: 'email', phone: 'phone', abn: 'business number' } as const
