import { askAboutPayment, askText, type Payment } from '@portal/contract/payments.ts'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useIdempotencyKey } from '../../api/idempotency-key.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.ts'

/** Shows the note that would go to the lender, which names deal, month and status, and never an amount (D110). */
export function AskDialog({ payment, onClose }: { payment: Payment | null; onClose: () => void }) {
  const keys = useIdempotencyKey()
  const ask = useMutation({
    mutationFn: ({ loid }: Payment) =>
      call(askAboutPayment, { params: { id: loid }, idempotencyKey: keys.keyFor({ loid }) }),
    onSuccess() {
      keys.renew()
      toast.success('Your question is on its way to the lender')
      onClose()
    },
    onError: toast.failure,
  })
  return (
    <ConfirmDialog
      open={payment !== null}
      title="Ask About This Payment"
      text={
        payment && (
          <>
            <p>This note goes to the lender, and your colleagues can read it on the deal’s page:</p>
            <p className="mt-2 rounded-lg bg-sunken px-3 py-2 text-ink">{askText(payment)}</p>
          </>
        )
      }
      confirmLabel="Send the Note"
      busy={ask.isPending}
      onConfirm={() => payment && ask.mutate(payment)}
      onClose={onClose}
    />
  )
}
