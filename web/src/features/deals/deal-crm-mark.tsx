import { type Deal, type DealDetail, retryDealPush } from '@portal/contract/deals.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { crmMark } from '../../format/crm-mark.ts'
import { useMay } from '../../session/may.tsx'
import { RetryMark } from '../../ui/retry-mark.tsx'
import { toast } from '../../ui/toast.ts'
import { WaitingMark } from '../../ui/waiting-mark.tsx'

/** Shows that the deal is not in the CRM yet. If the portal gave up, owners and members get a button to retry (D23). */
export function DealCrmMark({ deal }: { deal: Pick<Deal, 'loid' | 'crm'> & Partial<Pick<DealDetail, 'crm_problem'>> }) {
  const mark = crmMark(deal.crm)
  if (!mark) return null
  if (deal.crm === 'failed') return <RetryButton loid={deal.loid} text={mark.text} reason={deal.crm_problem} />
  return <WaitingMark text={mark.text} reason={deal.crm_problem} variant={mark.colour} />
}

function RetryButton({ loid, text, reason }: { loid: string; text: string; reason: string | null | undefined }) {
  const queryClient = useQueryClient()
  const retry = useMutation({
    mutationFn: () => call(retryDealPush, { params: { id: loid } }),
    onSuccess: () => toast.info('The deal is on its way to the CRM again'),
    onError: (error) => toast.error(failureText(error)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deals'] }),
  })
  const onRetry = useMay('member') ? () => retry.mutate() : undefined
  return <RetryMark text={text} reason={reason} isBusy={retry.isPending} onRetry={onRetry} />
}
