import type { Note } from '@portal/contract/notes.ts'
import { MessageSquareText } from 'lucide-react'
import { crmMark } from '../../format/crm-mark.ts'
import { formatDateTime, formatRelativeTime } from '../../format/dates.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { NoteForm } from './note-form.tsx'
import type { NoteParent } from './notes.queries.ts'

interface NotesPanelProps {
  parent: NoteParent
  /** The newest first. */
  notes: readonly Note[]
  onAdded: (note: Note) => void
}

/** The notes of a lead or a deal, and the form for another. */
export function NotesPanel({ parent, notes, onAdded }: NotesPanelProps) {
  return (
    <Card title="Notes" action={<Badge>{notes.length}</Badge>}>
      <NoteForm key={parent.loid} parent={parent} onAdded={onAdded} />
      {notes.length === 0 ? (
        <p className="mt-5 flex items-center gap-2.5 border-t border-line pt-5 text-muted">
          <MessageSquareText aria-hidden className="size-4" />
          No notes yet
        </p>
      ) : (
        <ul aria-label="Notes" className="mt-5 divide-y divide-line border-t border-line">
          {notes.map((note) => (
            <NoteItem key={note.id} note={note} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function NoteItem({ note }: { note: Note }) {
  const mark = crmMark(note.crm)
  return (
    <li className="py-4 last:pb-0">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">{note.created_by}</span>
        <time
          dateTime={note.created_at}
          title={formatDateTime(note.created_at)}
          className="text-[0.8125rem] text-muted"
        >
          {formatRelativeTime(note.created_at)}
        </time>
        {mark && <Badge variant={mark.colour}>{mark.text}</Badge>}
      </div>
      <p className="mt-1 break-words whitespace-pre-line">{note.content}</p>
    </li>
  )
}
