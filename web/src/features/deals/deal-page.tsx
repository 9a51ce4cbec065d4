import { formatMoney } from '@portal/contract/money.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { isNotFound } from '../../api/failure.ts'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { dealTitle } from '../../format/record-title.ts'
import { Redirect } from '../../router/link.tsx'
import { useNavigate, useParam } from '../../router/router-view.tsx'
import { May } from '../../session/may.tsx'
import { readSeesPayments, useSeesPayments } from '../../session/sees-payments.ts'
import { Changing } from '../../ui/changing.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { DocumentsSection } from '../documents/documents-section.tsx'
import { useOpenedRecord } from '../inbox/use-opened-record.ts'
import { PaymentLine } from '../payments/payment-line.tsx'
import { dealPaymentQuery } from '../payments/payments.queries.ts'
import { RecordCrmMark } from '../referral/crm-mark.tsx'
import { CallLink, HeaderFacts } from '../referral/header-facts.tsx'
import { ManagerSection } from '../referral/manager.tsx'
import {
  BackToList,
  NoRecord,
  RecordFailure,
  RecordOutline,
  RecordTimeline,
  refreshRecord,
} from '../referral/record-parts.tsx'
import { timelineQuery } from '../referral/referral.queries.ts'
import { ReferralPanels } from '../referral/referral-panels.tsx'
import { StateBadge } from '../referral/state-badge.tsx'
import { TurnChip } from '../referral/turn-chip.tsx'
import { Way } from '../referral/way.tsx'
import { ResyncDealButton } from '../sync/resync-deal-button.tsx'
import { ContactPerson, DealDetails, DealSummary } from './deal-details.tsx'
import { DealActivity, LeadStatusHistory, StageHistory } from './deal-histories.tsx'
import { dealQuery, stageHistoryQuery } from './deals.queries.ts'

export function startDeal({ queryClient, param }: PageStart) {
  const loid = param.trim()
  if (loid === '') return
  startQuery(queryClient, dealQuery(loid))
  startQuery(queryClient, stageHistoryQuery(loid))
  startQuery(queryClient, timelineQuery({ kind: 'deal', loid }))
  if (readSeesPayments()) startQuery(queryClient, dealPaymentQuery(loid, true))
}

export function DealPage() {
  const loid = useParam().trim()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const query = useQuery(dealQuery(loid))
  // The timeline and the payment are awaited together with the deal. If one came late, it would push down everything
  // below it.
  const timeline = useQuery(timelineQuery({ kind: 'deal', loid }))
  const payment = useQuery(dealPaymentQuery(loid, useSeesPayments()))

  useOpenedRecord(query.data?.deal.loid)

  if (loid === '') return <NoRecord kind="deal" text="Invalid deal ID" />
  if (query.isPending || (query.isSuccess && (!timeline.isFetched || payment.isLoading)))
    return <RecordOutline kind="deal" />
  if (!query.data || isNotFound(query.error)) {
    return <RecordFailure kind="deal" error={query.error} onRetry={() => void query.refetch()} />
  }

  const { deal, notes, requests, converted_from_lead: wasLead } = query.data
  // Live changes name only the deal's own LOID. So the page redirects to this LOID if the address spells it in another
  // way, or names the lead that the deal replaced.
  if (deal.loid !== loid) return <Redirect {...paths.deal(deal.loid)} />
  const of = { kind: 'deal', loid } as const
  return (
    <>
      <PageHeader
        title={dealTitle(deal)}
        back={<BackToList kind="deal" />}
        mark={
          <span className="flex min-w-0 flex-wrap items-center gap-2">
            <Changing value={deal.stage} scope={deal.loid} announcement={`The stage is now ${deal.stage}`}>
              <StateBadge kind="deal-stage" name={deal.stage} />
            </Changing>
            <TurnChip side={deal.crm === 'synced' ? deal.side : null} />
            <RecordCrmMark kind="deal" record={deal} />
          </span>
        }
        description={
          <>
            <HeaderFacts
              facts={[
                deal.business_name === dealTitle(deal) ? null : deal.business_name,
                formatMoney(deal.amount),
                deal.loan_type,
              ]}
              loid={deal.loid}
            />
            <PaymentLine loid={deal.loid} />
          </>
        }
        actions={
          <>
            <CallLink phone={deal.phone} />
            <May least="member">
              <ResyncDealButton key={loid} loid={deal.loid} onRemoved={() => void navigate(paths.deals)} />
            </May>
          </>
        }
      >
        {timeline.data && <Way standing={timeline.data.standing} />}
      </PageHeader>
      <ReferralPanels
        timeline={
          <RecordTimeline
            of={of}
            requests={requests}
            timeline={timeline}
            notes={notes}
            histories={[
              { name: 'Stage History', content: <StageHistory deal={deal} /> },
              ...(wasLead ? [{ name: 'Status History', content: <LeadStatusHistory loid={deal.loid} /> }] : []),
              { name: 'Recent Activity', content: <DealActivity deal={deal} notes={notes} /> },
            ]}
          />
        }
        facts={
          <>
            <DocumentsSection of={of} onChange={() => refreshRecord(queryClient, of)} />
            <ContactPerson deal={deal} />
            <DealDetails key={loid} deal={deal} />
            <DealSummary deal={deal} />
            <ManagerSection loid={deal.loid} />
          </>
        }
      />
    </>
  )
}
