import { Phone } from 'lucide-react'
import { Fragment } from 'react'
import { phoneLink } from '../../format/contact-links.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'

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
      <span className="inline-flex items-center">
        <span className="font-mono text-[0.8125rem]">{loid}</span>
        <CopyButton text={loid} label="Copy LOID" size="icon" />
      </span>
    </span>
  )
}

/** Calls the applicant. */
export function CallLink({ phone }: { phone: string | null }) {
  if (!phone) return null
  return (
    <a href={phoneLink(phone)} className={buttonClass('secondary')}>
      <Phone aria-hidden />
      Call
    </a>
  )
}
