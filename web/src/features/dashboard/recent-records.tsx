import type { listDeals } from '@portal/contract/deals.ts'
import type { listLeads } from '@portal/contract/leads.ts'
import type { HistoryKind } from '@portal/contract/meanings.ts'
import { formatMoney } from '@portal/contract/money.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { Handshake, Users } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Answer } from '../../api/call.ts'
import { paths } from '../../app/paths.ts'
import { dealTitle, leadTitle } from '../../format/record-title.ts'
import { Link } from '../../router/link.tsx'
import { May } from '../../session/may.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Section } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadFailure } from '../../ui/failure.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RestingRows } from '../../ui/resting-rows.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { UnreadMark } from '../inbox/unread-mark.tsx'
import { StateBadge } from '../referral/state-badge.tsx'

export const viewAllClass =
  'rounded px-1 py-0.5 text-[0.8125rem] font-medium whitespace-nowrap text-brand-ink underline-offset-4 hover:underline'

export function RecentLeads({ leads }: { leads: UseQueryResult<Answer<typeof listLeads>> }) {
  return (
    <RecentRecords
      name="leads"
      query={leads}
      empty={
        <EmptyState
          icon={<Users />}
          title="No leads yet"
          text="Leads you submit appear here."
          action={
            <May least="member">
              <Link {...paths.newLead} className={buttonClass('secondary')}>
                Submit Your First Lead
              </Link>
            </May>
          }
        />
      }
      records={leads.data?.data.leads.map((lead) => ({
        id: lead.id,
        link: paths.lead(lead.loid),
        loid: lead.loid,
        title: leadTitle(lead),
        detail: lead.lead_name ?? lead.loid,
        kind: 'lead-status' as const,
        state: lead.lead_status,
        amount: lead.loan_amount,
        time: lead.created_at,
      }))}
    />
  )
}

export function RecentDeals({ deals }: { deals: UseQueryResult<Answer<typeof listDeals>> }) {
  return (
    <RecentRecords
      name="deals"
      query={deals}
      empty={
        <EmptyState
          icon={<Handshake />}
          title="No deals yet"
          text="A lead becomes a deal when the lender takes it on."
        />
      }
      records={deals.data?.data.deals.map((deal) => ({
        id: deal.id,
        link: paths.deal(deal.loid),
        loid: deal.loid,
        title: dealTitle(deal),
        detail: deal.contact_name ?? deal.loid,
        kind: 'deal-stage' as const,
        state: deal.stage,
        amount: deal.amount,
        time: deal.created_at,
      }))}
    />
  )
}

interface RecentRecord {
  id: string
  link: ReturnType<typeof paths.lead> | ReturnType<typeof paths.deal>
  loid: string
  title: string
  detail: string
  kind: HistoryKind
  state: string
  amount: number | null
  time: string
}

interface RecentRecordsProps {
  name: 'leads' | 'deals'
  query: { isPending: boolean; error: Error | null; refetch: () => Promise<unknown> }
  empty: ReactNode
  records: RecentRecord[] | undefined
}

function RecentRecords(props: RecentRecordsProps) {
  const { name } = props
  return (
    <Section
      title={name === 'leads' ? 'Recent Leads' : 'Recent Deals'}
      padded={false}
      action={
        <Link {...paths[name]} aria-label={`View all ${name}`} className={viewAllClass}>
          View all
        </Link>
      }
    >
      <Records {...props} />
    </Section>
  )
}

function Records({ name, query, empty, records }: RecentRecordsProps) {
  if (query.isPending) return <SkeletonRows rows={5} label={`Loading recent ${name}`} />
  if (!records) {
    return <LoadFailure text={`Failed to load ${name}`} query={query} />
  }
  if (records.length === 0) return <>{empty}</>
  return (
    <RestingRows rows={records}>
      {(record) => (
        <li key={record.id} className="border-b border-line last:border-0">
          <Link
            {...record.link}
            className="grid min-h-16 grid-cols-1 content-center gap-y-0.5 px-5 py-2.5 -outline-offset-2 transition-colors last:rounded-b-xl hover:bg-hover/60"
          >
            <span className="flex items-baseline justify-between gap-4">
              <span className="truncate font-medium">
                <UnreadMark loid={record.loid} />
                {record.title}
              </span>
              <span className="font-medium tabular-nums">{formatMoney(record.amount)}</span>
            </span>
            <span className="flex items-center justify-between gap-4">
              <span className="flex min-w-0 text-[0.8125rem] text-muted">
                <span className="truncate">{record.detail}</span>
                <span className="shrink-0 whitespace-pre">
                  {' · '}
                  <RelativeTime at={record.time} />
                </span>
              </span>
              <StateBadge kind={record.kind} name={record.state} className="max-w-2/3 shrink-0" />
            </span>
          </Link>
        </li>
      )}
    </RestingRows>
  )
}
