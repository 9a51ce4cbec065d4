import { wholeDays } from '@portal/contract/calendar.ts'
import { meaningOf } from '@portal/contract/meanings.ts'
import { type Note, retryNotePush } from '@portal/contract/notes.ts'
import type { ReferralTimeline, TimelineEntry } from '@portal/contract/timeline.ts'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import {
  Handshake,
  MessageCircleQuestionMark,
  MessageSquareText,
  Paperclip,
  Pencil,
  Send,
  ShieldCheck,
  Undo2,
} from 'lucide-react'
import { type ReactNode, type Ref, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { formatDateTime, formatDays } from '../../format/dates.ts'
import { Badge, type BadgeVariant } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { changeMark } from '../../ui/change-mark.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { CrmMark } from './crm-mark.tsx'
import { type Line, presentLine } from './lines.ts'
import { type TimelineOf, timelineQuery } from './referral.queries.ts'

/** More entries would push the record's facts too far down on a phone. */
const SHOWN_AT_FIRST = 8

/** What a timeline needs to mark its notes that are not in the CRM. */
export interface NotesOfTimeline {
  notes: readonly Note[]
  onNoteChange: () => void
}

/** Everything that happened to a referral, the latest first. */
export function WholeTimeline({
  of,
  timeline,
  ...notes
}: NotesOfTimeline & { of: TimelineOf; timeline: ReferralTimeline }) {
  const { entries, earlier, standing } = timeline
  // The CRM may have no history yet. Then the present status or stage is shown (section 2).
  const present: TimelineEntry[] =
    earlier || entries.some(({ value }) => value !== null)
      ? []
      : [presentLine(standing.kind === 'lead-status' ? 'status' : 'stage', standing.value, standing.since)]
  const latest = [...present, ...entries].find(({ value, days }) => value !== null && days === null)
  return (
    <ol aria-label="Timeline">
      <Entries
        of={of}
        part={{ ...timeline, entries: [...present, ...entries] }}
        shownAtFirst={SHOWN_AT_FIRST}
        latest={latest?.id}
        {...notes}
      />
    </ol>
  )
}

interface LinesProps extends Partial<NotesOfTimeline> {
  label: string
  lines: readonly Line[]
  /** The id of the line about the present status or stage. */
  latest?: string | undefined
}

/** A list that is shown as a whole. */
export function Lines({ label, lines, latest, notes, onNoteChange }: LinesProps) {
  return (
    <ol aria-label={label}>
      {lines.map((line, index) => (
        <Entry
          key={line.id}
          line={line}
          isLatest={line.id === latest}
          isLast={index === lines.length - 1}
          className="flex"
          mark={markOf(line, notes, onNoteChange)}
        />
      ))}
    </ol>
  )
}

interface EntriesProps extends NotesOfTimeline {
  of: TimelineOf
  part: ReferralTimeline
  shownAtFirst: number
  latest: string | undefined
  /** The ids of the entries that were shown above this part. New entries can push them down into this part. */
  knownBefore?: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/** One part of the timeline, with the earlier parts that the person has opened. Folded entries are printed too. */
function Entries({ of, part, shownAtFirst, latest, knownBefore = NONE, notes, onNoteChange }: EntriesProps) {
  const { entries, earlier } = part
  const [isOpen, setIsOpen] = useState(entries.length <= shownAtFirst)
  const [wantsEarlier, setWantsEarlier] = useState(false)
  const before = wantsEarlier ? earlier?.before : undefined
  const next = useQuery({ ...timelineQuery(of, before), enabled: before !== undefined })
  // Entries that arrive while the page is open are marked, as in lists.
  const [known] = useState(() => new Set([...knownBefore, ...entries.map((entry) => entry.id)]))
  const lastShown = useRef<HTMLLIElement>(null)
  const shown = isOpen ? entries.length : shownAtFirst
  const hidden = entries.length - shown + (earlier?.count ?? 0)

  function handleMore() {
    // The button may disappear, so the last shown entry takes focus. The next entries appear after it.
    lastShown.current?.focus({ preventScroll: true })
    if (!isOpen) setIsOpen(true)
    else setWantsEarlier(true)
  }

  return (
    <>
      {entries.map((entry, index) => (
        <Entry
          key={entry.id}
          ref={index === shown - 1 ? lastShown : undefined}
          line={entry}
          isLatest={entry.id === latest}
          isNew={!known.has(entry.id)}
          isLast={index === entries.length - 1 && !earlier}
          className={index < shown ? 'flex' : 'hidden print:flex'}
          mark={markOf(entry, notes, onNoteChange)}
        />
      ))}
      {next.data && before !== undefined ? (
        <Entries
          of={of}
          part={next.data}
          shownAtFirst={Number.POSITIVE_INFINITY}
          latest={latest}
          knownBefore={known}
          notes={notes}
          onNoteChange={onNoteChange}
        />
      ) : (
        hidden > 0 && (
          <li className="print:hidden">
            {next.isError && <p className="mb-2 text-error-ink">The earlier part could not be loaded.</p>}
            <Button
              variant="secondary"
              size="small"
              busy={before !== undefined && next.isFetching}
              onClick={next.isError ? () => void next.refetch() : handleMore}
            >
              Show {hidden} earlier
            </Button>
          </li>
        )
      )}
    </>
  )
}

function markOf({ type, id }: Line, notes: readonly Note[] = [], onNoteChange = () => {}): ReactNode {
  const note = type === 'note' && notes.find((one) => one.id === id)
  return (
    note && (
      <CrmMark
        crm={note.crm}
        problem={note.crm_problem}
        what="note"
        onRetry={() => call(retryNotePush, { params: { id: note.id } })}
        onRetried={onNoteChange}
      />
    )
  )
}

interface EntryProps {
  ref?: Ref<HTMLLIElement> | undefined
  line: Line
  isLatest: boolean
  isNew?: boolean
  isLast: boolean
  className: string
  mark: ReactNode
}

function Entry({ ref, line, isLatest, isNew = false, isLast, className, mark }: EntryProps) {
  const { type, at, text, is_lender: isLender } = line
  return (
    <li
      ref={ref}
      tabIndex={-1}
      data-changed={isNew ? changeMark(1) : undefined}
      className={clsx('relative gap-3 outline-none', !isLast && 'pb-5', className)}
    >
      {!isLast && <span aria-hidden className="absolute top-6 bottom-0 left-3 w-px -translate-x-1/2 bg-line" />}
      <Mark line={line} />
      {/* The mark is four pixels taller than a line of text, so the first line begins two pixels below the mark's top. */}
      <div className="min-w-0 flex-1 pt-0.5">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <p className="flex min-w-0 flex-wrap items-baseline gap-x-1.5 gap-y-0.5 wrap-anywhere">
            <Sentence line={line} isLatest={isLatest} />
            {mark}
          </p>
          <time dateTime={at} title={formatDateTime(at)} className="text-[0.8125rem] text-muted tabular-nums">
            <RelativeTime at={at} />
          </time>
        </div>
        {text &&
          (type === 'note' ? (
            <p
              className={clsx(
                'mt-1.5 rounded-lg px-3.5 py-2.5 break-words whitespace-pre-line',
                isLender ? 'border-l-3 border-brand bg-brand-tint' : 'bg-sunken',
              )}
            >
              {text}
            </p>
          ) : (
            <p className="mt-0.5 break-words text-muted">{text}</p>
          ))}
      </div>
    </li>
  )
}

const DOTS: Record<BadgeVariant, string> = {
  primary: 'bg-brand',
  success: 'bg-success-dot',
  warning: 'bg-warning-dot',
  error: 'bg-error-dot',
  secondary: 'bg-faint',
}

const ICONS: Record<Line['type'], ReactNode> = {
  submitted: <Send />,
  corrected: <Pencil />,
  withdrawn: <Undo2 />,
  converted: <Handshake />,
  created: <Handshake />,
  verdict: <ShieldCheck />,
  request: <MessageCircleQuestionMark />,
  document: <Paperclip />,
  note: <MessageSquareText />,
  noted: <MessageSquareText />,
  status: null,
  stage: null,
}

function Mark({ line: { type, value } }: { line: Line }) {
  const { colour } = meaningOf(type === 'stage' ? 'deal-stage' : 'lead-status', value ?? '')
  return (
    <span
      aria-hidden
      className="relative flex size-6 shrink-0 items-center justify-center rounded-full bg-hover text-muted [&_svg]:size-3.5"
    >
      {ICONS[type] ?? <span className={clsx('size-2.5 rounded-full', DOTS[colour])} />}
    </span>
  )
}

/** What happened, who caused it and, for a status or stage, how long it lasted. */
function Sentence({ line, isLatest }: { line: Line; isLatest: boolean }) {
  const { type, by, value, is_lender: isLender } = line
  const what = titleOf(line)
  return (
    <>
      <strong className="font-semibold">{what}</strong>
      {isLatest && <Badge variant="primary">Latest</Badge>}
      {type === 'note' && isLender && <Badge variant="primary">Lender</Badge>}
      <span className="text-muted">
        {[by !== what && by, value !== what && value, value !== null && stayText(line)].filter(Boolean).join(' · ')}
      </span>
    </>
  )
}

function titleOf({ type, by, value, is_lender: isLender }: Line): string {
  switch (type) {
    case 'submitted':
      return isLender ? 'Entered by the lender' : 'Submitted'
    case 'corrected':
      return 'Corrected'
    case 'withdrawn':
      return 'Withdrawn'
    case 'converted':
      return 'Became a deal'
    case 'verdict':
      return 'The lender’s verdict'
    case 'request':
      return 'Request'
    case 'document':
      return isLender ? 'Document from the lender' : 'Document sent'
    case 'created':
      return 'Deal created'
    case 'noted':
      return 'Last note added'
    case 'note':
      return by ?? 'Note'
    default:
      return value ?? ''
  }
}

/** How long the status or stage lasted, or has lasted so far. */
function stayText({ days, at }: Line): string {
  const known = days ?? wholeDays(at, new Date().toISOString())
  return known > 0 ? formatDays(known) : 'less than a day'
}
