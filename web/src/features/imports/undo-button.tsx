import type { Import } from '@portal/contract/imports.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { formatCount } from '../../format/count.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.ts'
import { undoRows } from './imports.queries.ts'

/** Undoes an import while it can be undone. */
export function UndoButton({ submitted: { id, submitted, undo_until } }: { submitted: Import }) {
  const queryClient = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const [shownAt] = useState(() => Date.now())
  const undo = useMutation({
    mutationFn: () => undoRows(id),
    // It may be too late, or another person may have undone it.
    onError: toast.failure,
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: ['imports'] })
      setAsking(false)
    },
  })
  if (undo_until === null || Date.parse(undo_until) <= shownAt) return null
  return (
    <>
      <Button variant="secondary" icon={<Undo2 aria-hidden />} onClick={() => setAsking(true)}>
        Undo Import
      </Button>
      <ConfirmDialog
        open={isAsking}
        title={`Withdraw ${formatCount(submitted, 'lead')}?`}
        text={`Leads that nobody has touched are withdrawn, also at the lender. The others stay, and you read why. You can undo this import until ${formatDateTime(undo_until)}.`}
        confirmLabel="Undo Import"
        cancelLabel="Keep the Leads"
        danger
        busy={undo.isPending}
        onConfirm={() => undo.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
