import { type Note, retryNotePush } from '@portal/contract/notes.ts'
import { useMutation } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { MessageSquareText } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { crmMark } from '../../format/crm-mark.ts'
import { formatDateTime } from '../../format/dates.ts'
import { May, useMay } from '../../session/may.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RetryMark } from '../../ui/retry-mark.tsx'
import { toast } from '../../ui/toast.ts'
import { NoteForm } from './note-form.tsx'
import type { NoteParent } from './notes.queries.ts'

interface NotesPanelProps {
  parent: NoteParent
  /** The newest note comes first. */
  notes: readonly Note[]
  /** Called after a note is added, and after each attempt to send one again. */
  onChange: () => void
}

const SHOWN_AT_FIRST = 3

/** The notes of a lead or a deal, and the form for another note. Folded notes are printed too. */
export function NotesPanel({ parent, notes, onChange }: NotesPanelProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Card title="Notes" action={<Badge>{notes.length}</Badge>}>
      <May least="member">
        <NoteForm key={parent.loid} parent={parent} onAdded={onChange} />
      </May>
      {notes.length === 0 ? (
        <p className="mt-5 flex items-center gap-2.5 border-t border-line pt-5 text-muted">
          <MessageSquareText aria-hidden className="size-4" />
          No notes yet
        </p>
      ) : (
        <ul aria-label="Notes" className="mt-5 divide-y divide-line border-t border-line">
          {notes.map((note, index) => (
            <NoteItem key={note.id} note={note} onChange={onChange} isFolded={!isOpen && index >= SHOWN_AT_FIRST} />
          ))}
        </ul>
      )}
      {notes.length > SHOWN_AT_FIRST && (
        <Button
          variant="secondary"
          size="small"
          className="mt-4"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? `Show the latest ${SHOWN_AT_FIRST} only` : `Show all ${notes.length} notes`}
        </Button>
      )}
    </Card>
  )
}

interface NoteItemProps {
  note: Note
  onChange: () => void
  isFolded: boolean
}

function NoteItem({ note, onChange, isFolded }: NoteItemProps) {
  return (
    <li className={clsx('py-4 last:pb-0', isFolded && 'hidden print:list-item')}>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">{note.submitted_by ?? note.created_by}</span>
        <time
          dateTime={note.created_at}
          title={formatDateTime(note.created_at)}
          className="text-[0.8125rem] text-muted"
        >
          <RelativeTime at={note.created_at} />
        </time>
        <NoteCrmMark note={note} onChange={onChange} />
      </div>
      <p className="mt-1 break-words whitespace-pre-line">{note.content}</p>
    </li>
  )
}

/** Shows that the note is not in the CRM yet. If the portal gave up, owners and members get a button to retry (D23). */
function NoteCrmMark({ note, onChange }: { note: Note; onChange: () => void }) {
  const retry = useMutation({
    mutationFn: () => call(retryNotePush, { params: { id: note.id } }),
    onSuccess: () => toast.info('The note is on its way to the CRM again'),
    onError: (error) => toast.error(failureText(error)),
    onSettled: onChange,
  })
  const mayRetry = useMay('member')
  const mark = crmMark(note.crm)
  if (!mark) return null
  if (note.crm !== 'failed') return <Badge variant={mark.colour}>{mark.text}</Badge>
  return (
    <RetryMark
      text={mark.text}
      reason={note.crm_problem}
      isBusy={retry.isPending}
      onRetry={mayRetry ? () => retry.mutate() : undefined}
    />
  )
}
