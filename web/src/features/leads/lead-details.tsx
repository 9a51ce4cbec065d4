import type { Lead, LeadDetail } from '@portal/contract/leads.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { formatPhone } from '@portal/contract/phone.ts'
import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { mailLink, phoneLink } from '../../format/contact-links.ts'
import { formatDate } from '../../format/dates.ts'
import { useMay } from '../../session/may.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Section } from '../../ui/card.tsx'
import { type Description, DescriptionList, textLinkClass } from '../../ui/description-list.tsx'
import { StateBadge } from '../referral/state-badge.tsx'

/** The fields of section 2, in its order, then those that the portal adds. An unknown field shows a dash. */
export function PrimaryInformation({ lead }: { lead: LeadDetail }) {
  const mayNote = useMay('member') && lead.withdrawn_at === null
  const needsNote = mayNote && !lead.may_change && lead.change?.state !== 'waiting'
  const items: Description[] = [
    { term: 'Email', value: lead.email && <MailAddress address={lead.email} /> },
    { term: 'State', value: lead.state },
    { term: 'Loan Amount', value: formatMoney(lead.loan_amount) },
    { term: 'Loan Type', value: lead.loan_type },
    { term: 'Monthly Sales', value: formatMoney(lead.sales_monthly) },
    { term: 'Loan Purpose', value: lead.loan_purpose },
    { term: 'Lead Name', value: lead.lead_name },
    {
      term: 'Phone',
      value: lead.phone && <ContactLink href={phoneLink(lead.phone)}>{formatPhone(lead.phone)}</ContactLink>,
    },
    {
      term: 'ISO',
      value: <Badge variant={lead.partner_iso === 'AU' ? 'success' : 'error'}>{lead.partner_iso ?? 'Other'}</Badge>,
    },
    { term: 'Loan Term', value: lead.loan_term },
    {
      term: 'Lead Status',
      value: <StateBadge kind="lead-status" name={lead.lead_status} />,
    },
    { term: 'Lead Source', value: lead.lead_source },
    { term: 'Brand', value: lead.brand },
    ...(lead.description ? [{ term: 'Description', value: lead.description, wide: true }] : []),
    ...(lead.permit_link ? [{ term: 'Permit', value: <PermitLink address={lead.permit_link} /> }] : []),
    { term: 'Created', value: formatDate(lead.created_at) },
    ...(lead.submitted_by ? [{ term: 'Submitted By', value: lead.submitted_by }] : []),
    ...propertyItems(lead),
  ]
  return (
    <Section
      title="Primary Information"
      description={needsNote ? 'Something wrong? Tell the lender in a note.' : undefined}
    >
      <DescriptionList items={items} />
    </Section>
  )
}

export function BusinessDetails({ lead }: { lead: Lead }) {
  return (
    <Section title="Business Details">
      <DescriptionList
        items={[
          { term: 'Business Name', value: lead.business_name },
          { term: 'Industry', value: lead.business_industry },
          { term: 'Partner', value: lead.partner },
          { term: 'Time in Business', value: lead.time_in_business },
          { term: 'ABN/UIN', value: lead.business_abn },
          { term: 'LOID', value: <span className="font-mono text-[0.8125rem]">{lead.loid}</span> },
        ]}
      />
    </Section>
  )
}

function propertyItems(lead: Lead): Description[] {
  if (!lead.owns_property) return []
  return [
    { term: 'Property Value', value: formatMoney(lead.property_value) },
    { term: 'Outstanding Debt', value: formatMoney(lead.property_debt) },
  ]
}

function ContactLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} className={`${textLinkClass} inline-block max-w-full text-balance`}>
      {children}
    </a>
  )
}

/** A long address has its second line after the `@`. */
function MailAddress({ address }: { address: string }) {
  const domainAt = address.lastIndexOf('@') + 1
  return (
    <ContactLink href={mailLink(address)}>
      {address.slice(0, domainAt)}
      <wbr />
      {address.slice(domainAt)}
    </ContactLink>
  )
}

/** The lender's staff enter this text in the CRM, so only an ordinary web address becomes a link. */
function PermitLink({ address }: { address: string }) {
  if (!/^https?:\/\//i.test(address)) return <>{address}</>
  return (
    <a href={address} target="_blank" rel="noopener noreferrer" className={textLinkClass}>
      View permit <ExternalLink aria-hidden className="inline size-3.5 align-[-0.125rem]" />
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  )
}
