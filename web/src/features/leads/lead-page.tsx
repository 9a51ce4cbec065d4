import { formatMoney } from '@portal/contract/money.ts'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { failureText, isNotFound } from '../../api/failure.ts'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { badgeColour } from '../../format/badge-colour.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Changing } from '../../ui/changing.tsx'
import { Failure } from '../../ui/failure.tsx'
import { BackLabel, backLinkClass, PageHeader } from '../../ui/page-header.tsx'
import { useWayBack } from '../../ui/way-back.ts'
import { useOpenedRecord } from '../inbox/use-opened-record.ts'
import { moveNoteDraft } from '../notes/note-draft.ts'
import { CallLink, HeaderFacts } from '../referral/header-facts.tsx'
import { timelineQuery } from '../referral/referral.queries.ts'
import { ReferralOutline, ReferralPanels } from '../referral/referral-panels.tsx'
import { TimelinePanel } from '../referral/timeline-panel.tsx'
import { Way } from '../referral/way.tsx'
import { LeadCrmMark } from './lead-crm-mark.tsx'
import { BusinessDetails, PrimaryInformation } from './lead-details.tsx'
import { leadQuery, statusHistoryQuery } from './leads.queries.ts'
import { StatusHistory } from './status-history.tsx'

const route = getRouteApi('/signed-in/leads/$loid')

export function startLead({ context: { queryClient }, params }: PageStart<unknown, { loid: string }>) {
  const loid = params.loid.trim()
  if (loid === '') return
  startQuery(queryClient, leadQuery(loid))
  startQuery(queryClient, statusHistoryQuery(loid))
  startQuery(queryClient, timelineQuery({ kind: 'lead', loid }))
}

export function LeadPage() {
  const loid = route.useParams().loid.trim()
  const queryClient = useQueryClient()
  const query = useQuery(leadQuery(loid))
  // The timeline is awaited together with the lead. If it came late, it would push down everything below it.
  const timeline = useQuery(timelineQuery({ kind: 'lead', loid }))

  useOpenedRecord(query.data?.lead.loid)

  if (loid === '') return <LeadFailure text="Invalid lead ID" />
  if (query.isPending || (query.isSuccess && !timeline.isFetched)) return <LeadOutline />
  if (!query.data || isNotFound(query.error)) {
    return (
      <LeadFailure
        text="Failed to load lead details"
        detail={failureText(query.error)}
        onRetry={() => void query.refetch()}
      />
    )
  }

  const { lead, notes } = query.data
  if (lead.converted_to_deal) return <ToDeal from={lead.loid} to={lead.converted_to_deal.loid} />
  // Live changes name only the lead's own LOID. So the page redirects to this LOID if the address spells it in another
  // way.
  if (lead.loid !== loid) return <Navigate {...paths.lead(lead.loid)} replace />
  return (
    <>
      <PageHeader
        title={lead.business_name ?? lead.lead_name ?? lead.loid}
        back={<BackToLeads />}
        mark={
          <span className="flex min-w-0 flex-wrap items-center gap-2">
            <Changing value={lead.lead_status} scope={lead.loid} announcement={`The status is now ${lead.lead_status}`}>
              <Badge variant={badgeColour(lead.lead_status)} dot>
                {lead.lead_status}
              </Badge>
            </Changing>
            <LeadCrmMark lead={lead} />
          </span>
        }
        description={
          <HeaderFacts facts={[lead.lead_name, formatMoney(lead.loan_amount), lead.loan_type]} loid={lead.loid} />
        }
        actions={<CallLink phone={lead.phone} />}
      >
        {timeline.data && <Way standing={timeline.data.standing} />}
      </PageHeader>
      <ReferralPanels
        timeline={
          <TimelinePanel
            key={loid}
            of={{ kind: 'lead', loid: lead.loid }}
            timeline={timeline}
            notes={notes}
            onNoteChange={() => refreshLead(queryClient, loid)}
            histories={[{ name: 'Status History', content: <StatusHistory lead={lead} /> }]}
          />
        }
        facts={
          <>
            <PrimaryInformation lead={lead} />
            <BusinessDetails lead={lead} />
          </>
        }
      />
    </>
  )
}

/** Opens the deal that the lead has become, with the note that the person was writing. */
function ToDeal({ from, to }: { from: string; to: string }) {
  useEffect(() => moveNoteDraft(from, to), [from, to])
  return <Navigate {...paths.deal(to)} replace />
}

function refreshLead(queryClient: QueryClient, loid: string) {
  void queryClient.invalidateQueries({ queryKey: leadQuery(loid).queryKey })
  void queryClient.invalidateQueries({ queryKey: timelineQuery({ kind: 'lead', loid }).queryKey })
  void queryClient.invalidateQueries({ queryKey: ['dashboard'] })
}

function LeadFailure({ text, detail, onRetry }: { text: string; detail?: string; onRetry?: () => void }) {
  return (
    <>
      <PageHeader title="Lead" back={<BackToLeads />} />
      <div className="panel">
        <Failure
          text={text}
          detail={detail}
          onRetry={onRetry}
          action={
            <Link {...paths.leads} onClick={useWayBack(paths.leads.to)} className={buttonClass()}>
              Back to Leads
            </Link>
          }
        />
      </div>
    </>
  )
}

function LeadOutline() {
  return (
    <>
      <PageHeader title="Lead" back={<BackToLeads />} description="Loading…" />
      <ReferralOutline label="Loading lead" fields={14} />
    </>
  )
}

function BackToLeads() {
  return (
    <Link {...paths.leads} onClick={useWayBack(paths.leads.to)} className={backLinkClass}>
      <BackLabel>Back to Leads</BackLabel>
    </Link>
  )
}
