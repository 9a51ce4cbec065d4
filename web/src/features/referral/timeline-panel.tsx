import type { Note } from '@portal/contract/notes.ts'
import type { ReferralTimeline } from '@portal/contract/timeline.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { May } from '../../session/may.tsx'
import { Failure } from '../../ui/failure.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { NoteForm } from '../notes/note-form.tsx'
import { type Line, noteLine } from './lines.ts'
import type { TimelineOf } from './referral.queries.ts'
import { Lines, WholeTimeline } from './timeline-entries.tsx'

export interface TimelinePanelProps {
  of: TimelineOf
  timeline: UseQueryResult<ReferralTimeline>
  /** The newest note comes first. */
  notes: readonly Note[]
  /** Called after a note is added, and after each attempt to send one again. */
  onNoteChange: () => void
  /** False for a record that the lender does not have any more. */
  takesNotes?: boolean
  /** The specification's panels besides the notes. */
  histories: readonly { name: string; content: ReactNode }[]
}

const ALL = 'All'

/**
 * What happened to a referral, below the form for a note. The filters have the names of the specification's panels, and
 * each shows its part of the same story, so nothing is told twice (D128).
 */
export function TimelinePanel(props: TimelinePanelProps) {
  const { of, timeline, notes, onNoteChange, takesNotes = true, histories } = props
  const [chosen, setChosen] = useState(ALL)
  const parts = [
    {
      name: ALL,
      label: ALL,
      content: timeline.data ? (
        <WholeTimeline of={of} timeline={timeline.data} notes={notes} onNoteChange={onNoteChange} />
      ) : (
        <Failure text="Failed to load timeline" onRetry={() => void timeline.refetch()} />
      ),
    },
    {
      name: 'Notes',
      label: `Notes (${notes.length})`,
      content:
        notes.length > 0 ? (
          <Lines label="Notes" lines={notes.map(noteLine)} notes={notes} onNoteChange={onNoteChange} />
        ) : (
          <p className="text-muted">No notes yet</p>
        ),
    },
    ...histories.map((history) => ({ ...history, label: history.name })),
  ]
  const part = parts.find(({ name }) => name === chosen) ?? parts[0]
  return (
    <section className="panel min-w-0" aria-label="Timeline">
      {takesNotes && (
        <May least="member">
          <div className="border-b border-line p-5 print:hidden">
            <NoteForm key={of.loid} parent={of} onAdded={onNoteChange} />
          </div>
        </May>
      )}
      <Filters options={parts} value={part?.name ?? ALL} onValue={setChosen} />
      <section aria-label={part?.name} className="p-5">
        {part?.content}
      </section>
    </section>
  )
}

interface FiltersProps {
  options: readonly { name: string; label: string }[]
  value: string
  onValue: (name: string) => void
}

/** The filters are radio buttons, so the arrow keys move between them. */
function Filters({ options, value, onValue }: FiltersProps) {
  const group = useId()
  return (
    <fieldset className="flex flex-wrap gap-x-5 border-b border-line px-5 print:hidden">
      <legend className="sr-only">What the timeline shows</legend>
      {options.map(({ name, label }) => (
        <label
          key={name}
          className="relative -mb-px flex min-h-11 items-center rounded-t-sm border-b-2 border-transparent font-medium whitespace-nowrap text-muted hover:text-ink has-checked:border-brand has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-ring"
        >
          <input
            type="radio"
            name={group}
            checked={name === value}
            onChange={() => onValue(name)}
            className="absolute inset-0 cursor-pointer appearance-none outline-none"
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}

interface HistoryProps<Entry> {
  /** The name of the specification's panel. */
  name: string
  history: UseQueryResult<Entry[]>
  toLine: (entry: Entry) => Line
  /** Shown if there is no history. Undefined if the record has left these statuses, so that none of them is the latest. */
  present?: Line
}

/** The statuses or stages of a record, the latest first. */
export function History<Entry>({ name, history, toLine, present }: HistoryProps<Entry>) {
  if (history.isPending) return <SkeletonRows rows={2} label={`Loading ${name.toLowerCase()}`} />
  if (!history.data) {
    return <Failure text={`Failed to load ${name.toLowerCase()}`} onRetry={() => void history.refetch()} />
  }
  const lines = history.data.length > 0 ? history.data.map(toLine) : present ? [present] : []
  return <Lines label={name} lines={lines} latest={present && lines[0]?.id} />
}
