import { retryDealPush } from '@portal/contract/deals.ts'
import { type CrmState, retryLeadPush } from '@portal/contract/leads.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Clock, RotateCw } from 'lucide-react'
import { useRef } from 'react'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/may.tsx'
import { Badge } from '../../ui/badge.tsx'
import { useFocusLeftBehind } from '../../ui/keep-focus.ts'
import { toast } from '../../ui/toast.ts'
import type { RecordKind } from './referral.queries.ts'

interface CrmMarkProps extends RetryProps {
  crm: CrmState
  /** Why it is not in the CRM, in a sentence, if that is known. */
  problem: string | null | undefined
}

/**
 * Shows that a record or note is not in the CRM yet. If the portal gave up, owners and members get a button to retry
 * (D23).
 */
export function CrmMark({ crm, problem, ...retry }: CrmMarkProps) {
  if (crm === 'synced') return null
  return (
    <>
      {crm === 'failed' ? (
        <RetryButton {...retry} />
      ) : (
        <Badge variant="warning">
          <Clock aria-hidden className="mr-1 inline size-3 align-[-0.125rem]" />
          Waiting for CRM
        </Badge>
      )}
      {problem && <span className="text-[0.8125rem] text-muted">{problem}</span>}
    </>
  )
}

interface RetryProps {
  what: RecordKind | 'note'
  onRetry: () => Promise<unknown>
  /** Called when the retry has succeeded or failed, and awaited. */
  onRetried: () => unknown
}

const FAILED = 'Not sent'

function RetryButton({ what, onRetry, onRetried }: RetryProps) {
  const ref = useRef<HTMLButtonElement>(null)
  useFocusLeftBehind(ref)
  const retry = useMutation({
    mutationFn: onRetry,
    onSuccess: () => toast.info(`The ${what} is on its way to the CRM again`),
    onError: toast.failure,
    onSettled: onRetried,
  })
  if (!useMay('member')) return <Badge variant="error">{FAILED}</Badge>
  return (
    <button
      ref={ref}
      type="button"
      aria-disabled={retry.isPending || undefined}
      onClick={retry.isPending ? undefined : () => retry.mutate()}
      className="inline-flex min-h-6 items-center gap-1 rounded-md bg-error-tint px-2 text-xs font-medium whitespace-nowrap text-error-ink hover:underline aria-disabled:opacity-60"
    >
      {FAILED} – <RotateCw aria-hidden className="size-3" /> Retry
    </button>
  )
}

interface RecordCrmMarkProps {
  kind: RecordKind
  record: { loid: string; crm: CrmState; crm_problem?: string | null }
}

export function RecordCrmMark({ kind, record: { loid, crm, crm_problem } }: RecordCrmMarkProps) {
  const queryClient = useQueryClient()
  return (
    <CrmMark
      crm={crm}
      problem={crm_problem}
      what={kind}
      onRetry={() => call(kind === 'lead' ? retryLeadPush : retryDealPush, { params: { id: loid } })}
      onRetried={() => queryClient.invalidateQueries({ queryKey: [`${kind}s`] })}
    />
  )
}
