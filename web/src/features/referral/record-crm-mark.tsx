import { retryDealPush } from '@portal/contract/deals.ts'
import { type CrmState, retryLeadPush } from '@portal/contract/leads.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { crmMark } from '../../format/crm-mark.ts'
import { useMay } from '../../session/may.tsx'
import { RetryMark } from '../../ui/retry-mark.tsx'
import { toast } from '../../ui/toast.ts'
import { WaitingMark } from '../../ui/waiting-mark.tsx'
import type { RecordKind } from './referral.queries.ts'

interface RecordCrmMarkProps {
  kind: RecordKind
  record: { loid: string; crm: CrmState; crm_problem?: string | null }
}

/** Shows that the record is not in the CRM yet. If the portal gave up, owners and members get a button to retry (D23). */
export function RecordCrmMark({ kind, record: { loid, crm, crm_problem } }: RecordCrmMarkProps) {
  const mark = crmMark(crm)
  if (!mark) return null
  if (crm === 'failed') return <RetryButton kind={kind} loid={loid} text={mark.text} reason={crm_problem} />
  return <WaitingMark text={mark.text} reason={crm_problem} variant={mark.colour} />
}

interface RetryButtonProps {
  kind: RecordKind
  loid: string
  text: string
  reason: string | null | undefined
}

function RetryButton({ kind, loid, text, reason }: RetryButtonProps) {
  const queryClient = useQueryClient()
  const retry = useMutation({
    mutationFn: () => call(kind === 'lead' ? retryLeadPush : retryDealPush, { params: { id: loid } }),
    onSuccess: () => toast.info(`The ${kind} is on its way to the CRM again`),
    onError: (error) => toast.error(failureText(error)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [`${kind}s`] }),
  })
  const onRetry = useMay('member') ? () => retry.mutate() : undefined
  return <RetryMark text={text} reason={reason} isBusy={retry.isPending} onRetry={onRetry} />
}
