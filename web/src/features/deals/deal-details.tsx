import { DEFAULT_LEAD_SOURCE } from '@portal/contract/choices.ts'
import type { Deal, DealDetail } from '@portal/contract/deals.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { formatPhone } from '@portal/contract/phone.ts'
import { Mail, Phone } from 'lucide-react'
import { mailLink, phoneLink } from '../../format/contact-links.ts'
import { daysActive, formatDate, formatDays } from '../../format/dates.ts'
import { Badge } from '../../ui/badge.tsx'
import { Section } from '../../ui/card.tsx'
import { Collapsible } from '../../ui/collapsible.tsx'
import { DescriptionList, textLinkClass } from '../../ui/description-list.tsx'
import { StateBadge } from '../referral/state-badge.tsx'

export function ContactPerson({ deal: { contact_name, email, phone, from_referral } }: { deal: DealDetail }) {
  const isOfReferral = from_referral.some((field) => field === 'contact_name' || field === 'email' || field === 'phone')
  return (
    <Section title="Contact Person">
      <div className="flex items-center gap-4">
        <span
          aria-hidden
          className="flex size-11 shrink-0 items-center justify-center rounded-full bg-brand-tint font-semibold text-brand-ink"
        >
          {initials(contact_name)}
        </span>
        <div className="min-w-0">
          <p className="font-medium break-words">
            {contact_name ?? 'No contact name'}
            {isOfReferral && <FromReferral />}
          </p>
          <ul className="mt-1 flex flex-wrap gap-x-5 gap-y-1 text-muted [&_svg]:size-4 [&_svg]:shrink-0">
            {email && (
              <li className="flex min-w-0 items-center gap-2">
                <Mail aria-hidden />
                <a href={mailLink(email)} className={`${textLinkClass} truncate`}>
                  {email}
                </a>
              </li>
            )}
            {phone && (
              <li className="flex items-center gap-2">
                <Phone aria-hidden />
                <a href={phoneLink(phone)} className={textLinkClass}>
                  {formatPhone(phone)}
                </a>
              </li>
            )}
          </ul>
        </div>
      </div>
    </Section>
  )
}

/** Says that the CRM's deal lacks the value, so that the value of the partner's lead is shown (D124). */
function FromReferral() {
  return <span className="text-[0.8125rem] font-normal text-muted"> from your referral</span>
}

export function DealDetails({ deal }: { deal: DealDetail }) {
  const mark = (field: DealDetail['from_referral'][number]) => deal.from_referral.includes(field) && <FromReferral />
  return (
    <Collapsible title="Details">
      <DescriptionList
        items={[
          { term: 'Deal Name', value: deal.deal_name },
          {
            term: 'Contact Name',
            value: deal.contact_name && (
              <>
                {deal.contact_name}
                {mark('contact_name')}
              </>
            ),
          },
          { term: 'Amount', value: formatMoney(deal.amount) },
          {
            term: 'Stage',
            value: <StateBadge kind="deal-stage" name={deal.stage} />,
          },
          { term: 'Business Name', value: deal.business_name },
          { term: 'Loan Type', value: deal.loan_type },
          {
            term: 'Loan Purpose',
            value: deal.loan_purpose && (
              <>
                {deal.loan_purpose}
                {mark('loan_purpose')}
              </>
            ),
          },
          { term: 'LOID', value: <span className="font-mono text-[0.8125rem]">{deal.loid}</span> },
          { term: 'Lead Source', value: deal.lead_source || DEFAULT_LEAD_SOURCE },
          { term: 'Closing Date', value: formatDate(deal.closing_date) },
          { term: 'Created Date', value: formatDate(deal.created_at) },
          ...(deal.partner_iso
            ? [
                {
                  term: 'ISO',
                  value: (
                    <>
                      <Badge variant={deal.partner_iso === 'AU' ? 'success' : 'error'}>{deal.partner_iso}</Badge>
                      {mark('partner_iso')}
                    </>
                  ),
                },
              ]
            : []),
          ...(deal.submitted_by ? [{ term: 'Submitted By', value: deal.submitted_by }] : []),
        ]}
      />
    </Collapsible>
  )
}

export function DealSummary({ deal }: { deal: Deal }) {
  return (
    <Section title="Deal Summary">
      <dl className="flex flex-wrap gap-x-8 gap-y-4">
        <div>
          <dt className="text-[0.8125rem] text-muted">Amount</dt>
          <dd className="mt-0.5 text-lg/7 font-semibold tabular-nums">{formatMoney(deal.amount)}</dd>
        </div>
        <div>
          <dt className="text-[0.8125rem] text-muted">Days Active</dt>
          <dd className="mt-0.5 text-lg/7 font-semibold tabular-nums">{formatDays(daysActive(deal.created_at))}</dd>
        </div>
      </dl>
    </Section>
  )
}

function initials(name: string | null): string {
  const words = (name ?? '').split(/\s+/).filter(Boolean)
  const ends = words.length > 1 ? [words.at(0), words.at(-1)] : words
  return ends.map((word) => word?.charAt(0).toUpperCase() ?? '').join('') || '?'
}
