import { formatPhone } from '@portal/contract/phone.ts'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Mail, Phone } from 'lucide-react'
import { mailLink, phoneLink } from '../../format/contact-links.ts'
import { sessionQuery } from '../../session/session.queries.ts'
import { Section } from '../../ui/card.tsx'
import { textLinkClass } from '../../ui/description-list.tsx'

/** The partner's contact at the lender (D114), in a line. Nothing is shown where the lender names nobody. */
export function ManagerLine() {
  const manager = useQuery(sessionQuery()).data?.manager
  if (!manager) return null
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-muted">
      <span>
        Your contact at the lender{manager.name && ': '}
        {manager.name && <span className="font-medium text-ink">{manager.name}</span>}
      </span>
      <Ways phone={manager.phone} email={manager.email} isShort />
    </p>
  )
}

/** The same beside a lead or deal. A mail that begins here names it. */
export function ManagerSection({ loid }: { loid: string }) {
  const manager = useQuery(sessionQuery()).data?.manager
  if (!manager) return null
  return (
    <Section title="Your Contact at the Lender">
      {manager.name && <p className="mb-1 font-medium">{manager.name}</p>}
      <p className="flex flex-col items-start gap-1">
        <Ways phone={manager.phone} email={manager.email} subject={loid} />
      </p>
    </Section>
  )
}

interface WaysProps {
  phone: string | null
  email: string | null
  subject?: string
  /** On a phone, the ways are signs only. */
  isShort?: boolean
}

function Ways({ phone, email, subject, isShort }: WaysProps) {
  const textClass = clsx(textLinkClass, 'truncate', isShort && 'max-sm:sr-only')
  return (
    <>
      {phone && (
        <a href={phoneLink(phone)} className={wayClass}>
          <Phone aria-hidden />
          <span className={textClass}>{formatPhone(phone)}</span>
        </a>
      )}
      {email && (
        <a href={`${mailLink(email)}${subject ? `?subject=${encodeURIComponent(subject)}` : ''}`} className={wayClass}>
          <Mail aria-hidden />
          <span className={textClass}>{email}</span>
        </a>
      )}
    </>
  )
}

const wayClass =
  'inline-flex min-h-7 max-w-full min-w-7 items-center gap-1.5 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted'
