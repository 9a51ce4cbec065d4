import { type Note, retryNotePush } from '@portal/contract/notes.ts'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { crmMark } from '../../format/crm-mark.ts'
import { useMay } from '../../session/may.tsx'
import { RetryMark } from '../../ui/retry-mark.tsx'
import { toast } from '../../ui/toast.ts'
import { WaitingMark } from '../../ui/waiting-mark.tsx'

/** Shows that the note is not in the CRM yet. If the portal gave up, owners and members get a button to retry (D23). */
export function NoteCrmMark({ note, onChange }: { note: Note; onChange: () => void }) {
  const retry = useMutation({
    mutationFn: () => call(retryNotePush, { params: { id: note.id } }),
    onSuccess: () => toast.info('The note is on its way to the CRM again'),
    onError: (error) => toast.error(failureText(error)),
    onSettled: onChange,
  })
  const mayRetry = useMay('member')
  const mark = crmMark(note.crm)
  if (!mark) return null
  if (note.crm !== 'failed') return <WaitingMark text={mark.text} reason={note.crm_problem} variant={mark.colour} />
  return (
    <RetryMark
      text={mark.text}
      reason={note.crm_problem}
      isBusy={retry.isPending}
      onRetry={mayRetry ? () => retry.mutate() : undefined}
    />
  )
}
