import { formatMoney } from '@portal/contract/money.ts'
import { type SingleDealSyncResult, syncOneDeal } from '@portal/contract/sync.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.ts'
import { syncFailureText } from './sync-texts.ts'
import { refreshAfterSync } from './use-sync.ts'

/**
 * Syncs one deal. `onRemoved` is called if the lender has deleted the deal or given it to another partner, unless the
 * person has left the page by then.
 */
export function ResyncDealButton({ loid, onRemoved }: { loid: string; onRemoved: () => void }) {
  const queryClient = useQueryClient()
  const resync = useMutation({
    mutationFn: () => call(syncOneDeal, { params: { id: loid } }),
    onSuccess(result) {
      if (result.operation === 'removed') toast.warning('The lender has removed this deal')
      else toast.success(resyncText(result))
      refreshAfterSync(queryClient)
    },
    onError: (error) => toast.error(syncFailureText(error)),
  })

  function handleClick() {
    resync.mutate(undefined, { onSuccess: ({ operation }) => operation === 'removed' && onRemoved() })
  }

  return (
    <Button variant="secondary" icon={<RefreshCw aria-hidden />} busy={resync.isPending} onClick={handleClick}>
      Re-sync
    </Button>
  )
}

function resyncText({ operation, stage, amount }: SingleDealSyncResult): string {
  if (operation === 'unchanged') return 'Deal is up to date'
  const news = [stage, amount === null ? null : formatMoney(amount)].filter((text) => text !== null)
  return `Deal ${operation}: ${news.join(', ')}`
}
