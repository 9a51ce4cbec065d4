import { Fragment } from 'react'
import { formatDate } from '../../format/dates.ts'

/** One line about a referral: the applicant, amount, loan type and LOID. Unknown facts are left out. */
export function HeaderFacts({ facts, loid }: { facts: readonly (string | null)[]; loid: string }) {
  const known = facts.filter((fact) => fact !== null && fact !== '' && fact !== '—')
  return (
    <span className="flex flex-wrap items-center gap-x-1.5">
      {known.map((fact) => (
        <Fragment key={fact}>
          <span className={fact?.startsWith('$') ? 'font-semibold text-ink tabular-nums' : undefined}>{fact}</span>
          <span aria-hidden>·</span>
        </Fragment>
      ))}
      <span className="font-mono text-[0.8125rem]">{loid}</span>
    </span>
  )
}

/** The date beside the badge of the status or stage. */
export function Since({ since }: { since: string }) {
  return <span className="text-[0.8125rem] text-muted">since {formatDate(since)}</span>
}
