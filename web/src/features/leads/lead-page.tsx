import { NO_DEAL_YET } from '@portal/contract/leads.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { isNotFound } from '../../api/failure.ts'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { leadTitle } from '../../format/record-title.ts'
import { Redirect } from '../../router/link.tsx'
import { useParam, useRouter } from '../../router/router-view.tsx'
import { Changing } from '../../ui/changing.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { toast } from '../../ui/toast.ts'
import { DocumentsSection } from '../documents/documents-section.tsx'
import { useOpenedRecord } from '../inbox/use-opened-record.ts'
import { moveNoteDraft } from '../notes/note-draft.ts'
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
import { VerdictText } from '../referral/verdict.tsx'
import { Way } from '../referral/way.tsx'
import { LeadChangeActions, LeadChangeNotice } from './lead-change.tsx'
import { BusinessDetails, PrimaryInformation } from './lead-details.tsx'
import { leadQuery, statusHistoryQuery } from './leads.queries.ts'
import { StatusHistory } from './status-history.tsx'

export function startLead({ queryClient, param }: PageStart) {
  const loid = param.trim()
  if (loid === '') return
  startQuery(queryClient, leadQuery(loid))
  startQuery(queryClient, statusHistoryQuery(loid))
  startQuery(queryClient, timelineQuery({ kind: 'lead', loid }))
}

export function LeadPage() {
  const loid = useParam().trim()
  const queryClient = useQueryClient()
  const query = useQuery(leadQuery(loid))
  // The timeline is awaited together with the lead. If it came late, it would push down everything below it.
  const timeline = useQuery(timelineQuery({ kind: 'lead', loid }))
  const [shown, setShown] = useState<string>()

  useOpenedRecord(query.data?.lead.loid)

  if (loid === '') return <NoRecord kind="lead" text="Invalid lead ID" />
  if (query.isPending || (query.isSuccess && !timeline.isFetched)) return <RecordOutline kind="lead" />
  if (!query.data || isNotFound(query.error)) {
    return <RecordFailure kind="lead" error={query.error} onRetry={() => void query.refetch()} />
  }

  const { lead, notes, requests } = query.data
  const deal = lead.converted_to_deal
  const toDeal = deal && <ToDeal from={lead.loid} to={deal.loid} name={shown === loid ? leadTitle(lead) : undefined} />
  if (!deal && shown !== loid) setShown(loid)
  if (deal && shown !== loid) {
    return (
      <>
        <RecordOutline kind="lead" />
        {toDeal}
      </>
    )
  }
  // Live changes name only the lead's own LOID. So the page redirects to this LOID if the address spells it in another
  // way.
  if (lead.loid !== loid) return <Redirect {...paths.lead(lead.loid)} />
  const of = { kind: 'lead', loid } as const
  return (
    <>
      <PageHeader
        title={leadTitle(lead)}
        back={<BackToList kind="lead" />}
        mark={
          <span className="flex min-w-0 flex-wrap items-center gap-2">
            <Changing value={lead.lead_status} scope={lead.loid} announcement={`The status is now ${lead.lead_status}`}>
              <StateBadge kind="lead-status" name={lead.lead_status} />
            </Changing>
            <VerdictText verdict={lead} className="text-[0.8125rem] font-medium" />
            <TurnChip
              side={lead.crm === 'synced' ? lead.side : null}
              text={lead.awaits_deal_since ? NO_DEAL_YET : undefined}
            />
            <RecordCrmMark kind="lead" record={lead} />
          </span>
        }
        description={
          <HeaderFacts facts={[lead.lead_name, formatMoney(lead.loan_amount), lead.loan_type]} loid={lead.loid} />
        }
        actions={
          <div className="flex flex-wrap gap-2">
            {lead.may_change && <LeadChangeActions lead={lead} onAsked={() => refreshRecord(queryClient, of)} />}
            <CallLink phone={lead.phone} />
          </div>
        }
      >
        {timeline.data && <Way standing={timeline.data.standing} />}
      </PageHeader>
      <LeadChangeNotice lead={lead} />
      <ReferralPanels
        timeline={
          <RecordTimeline
            of={of}
            requests={requests}
            timeline={timeline}
            notes={notes}
            takesNotes={lead.withdrawn_at === null}
            histories={[{ name: 'Status History', content: <StatusHistory lead={lead} /> }]}
          />
        }
        facts={
          <>
            {lead.withdrawn_at === null && <DocumentsSection of={of} onChange={() => refreshRecord(queryClient, of)} />}
            <PrimaryInformation lead={lead} />
            <BusinessDetails lead={lead} />
            <ManagerSection loid={lead.loid} />
          </>
        }
      />
      {toDeal}
    </>
  )
}

interface ToDealProps {
  from: string
  to: string
  /** The name of the lead if the person saw its page before it became a deal, so that the change is announced. */
  name: string | undefined
}

/**
 * Opens the deal that the lead has become, with the note that the person was writing. The page stays as it is until the
 * deal's code and data have loaded, so that it is never empty.
 */
function ToDeal({ from, to, name }: ToDealProps) {
  const router = useRouter()
  useEffect(() => {
    let isLeft = false
    async function open() {
      await router.preload(paths.deal(to))
      const { queryClient } = router
      const calls = queryClient.getQueryCache().findAll({ queryKey: ['deals'], fetchStatus: 'fetching' })
      await Promise.allSettled(calls.flatMap(({ promise }) => promise ?? []))
      if (isLeft) return
      moveNoteDraft(from, to)
      if (name !== undefined) toast.info(`${name} became a deal`)
      await router.navigate({ ...paths.deal(to), replace: true })
    }
    void open()
    return () => {
      isLeft = true
    }
  }, [router, from, to, name])
  return null
}
