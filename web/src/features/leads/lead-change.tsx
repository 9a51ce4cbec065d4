import type { LeadDetail } from '@portal/contract/leads.ts'
import { WITHDRAWAL_REASON_LENGTH_MAX } from '@portal/contract/limits.ts'
import { useMutation } from '@tanstack/react-query'
import { Pencil, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { paths } from '../../app/paths.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Link } from '../../router/link.tsx'
import { Alert } from '../../ui/alert.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.ts'
import { askWithdrawal } from './leads.queries.ts'

/** Correct and Withdraw, while the lender has not touched the lead (D86). */
export function LeadChangeActions({ lead, onAsked }: { lead: LeadDetail; onAsked: () => void }) {
  const { loid } = lead
  const [isOpen, setIsOpen] = useState(false)
  const [reason, setReason] = useState('')
  const withdraw = useMutation({
    mutationFn: () => askWithdrawal(loid, reason),
    onSuccess: () => setIsOpen(false),
    onError: toast.failure,
    onSettled: onAsked,
  })
  return (
    <>
      <Link {...paths.correctLead(loid)} className={buttonClass('secondary')}>
        <Pencil aria-hidden />
        Correct
      </Link>
      <Button variant="secondary" icon={<Undo2 aria-hidden />} onClick={() => setIsOpen(true)}>
        Withdraw
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => setIsOpen(false)}
        title="Withdraw this lead?"
        description="The lender no longer has it, and it leaves your lists. You can do this until the lender begins to work on it."
        actions={
          <>
            <Button variant="secondary" onClick={() => setIsOpen(false)}>
              Keep it
            </Button>
            <Button variant="danger" busy={withdraw.isPending} onClick={() => withdraw.mutate()}>
              Withdraw
            </Button>
          </>
        }
      >
        <TextArea
          label="Reason"
          hint="Only your team sees it."
          maxLength={WITHDRAWAL_REASON_LENGTH_MAX}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </Dialog>
    </>
  )
}

/** What became of the last correction or withdrawal. A correction that was made is in the timeline. */
export function LeadChangeNotice({ lead: { change, withdrawn_at } }: { lead: LeadDetail }) {
  if (withdrawn_at !== null) {
    return (
      <Alert kind="info" className="mb-5">
        Withdrawn on {formatDateTime(withdrawn_at)}. The lender no longer has this lead.
      </Alert>
    )
  }
  if (!change) return null
  const what = change.kind === 'correct' ? 'correction' : 'withdrawal'
  if (change.state === 'waiting') {
    return (
      <Alert kind="info" className="mb-5">
        Your {what} is on its way to the lender.
      </Alert>
    )
  }
  return (
    <Alert kind="warning" className="mb-5">
      Your {what} of {formatDateTime(change.asked_at)} was not made. {change.problem}
    </Alert>
  )
}
