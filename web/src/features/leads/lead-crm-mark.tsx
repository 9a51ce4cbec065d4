import { type Lead, type LeadDetail, retryLeadPush } from '@portal/contract/leads.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { crmMark } from '../../format/crm-mark.ts'
import { useMay } from '../../session/may.tsx'
import { RetryMark } from '../../ui/retry-mark.tsx'
import { toast } from '../../ui/toast.ts'
import { WaitingMark } from '../../ui/waiting-mark.tsx'

/** Shows that the lead is not in the CRM yet. If the portal gave up, owners and members get a button to retry (D23). */
export function LeadCrmMark({ lead }: { lead: Pick<Lead, 'loid' | 'crm'> & Partial<Pick<LeadDetail, 'crm_problem'>> }) {
  const mark = crmMark(lead.crm)
  if (!mark) return null
  if (lead.crm === 'failed') return <RetryButton loid={lead.loid} text={mark.text} reason={lead.crm_problem} />
  return <WaitingMark text={mark.text} reason={lead.crm_problem} variant={mark.colour} />
}

function RetryButton({ loid, text, reason }: { loid: string; text: string; reason: string | null | undefined }) {
  const queryClient = useQueryClient()
  const retry = useMutation({
    mutationFn: () => call(retryLeadPush, { params: { id: loid } }),
    onSuccess: () => toast.info('The lead is on its way to the CRM again'),
    onError: (error) => toast.error(failureText(error)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['leads'] }),
  })
  const onRetry = useMay('member') ? () => retry.mutate() : undefined
  return <RetryMark text={text} reason={reason} isBusy={retry.isPending} onRetry={onRetry} />
}
