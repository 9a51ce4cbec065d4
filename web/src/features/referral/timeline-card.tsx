import type { ReferralTimeline, TimelineEntry } from '@portal/contract/timeline.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Handshake, MessageSquareText, Send } from 'lucide-react'
import { type ReactNode, type Ref, useRef, useState } from 'react'
import { badgeColour } from '../../format/badge-colour.ts'
import { formatDateTime, formatDays } from '../../format/dates.ts'
import { Badge, type BadgeVariant } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { changeMark } from '../../ui/change-mark.ts'
import { Failure } from '../../ui/failure.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type TimelineOf, timelineQuery } from './referral.queries.ts'

/** More entries would push the record's fields too far down. */
const SHOWN_AT_FIRST = 6

interface TimelineCardProps {
  of: TimelineOf
  timeline: UseQueryResult<ReferralTimeline>
}

/** Everything that happened to a referral, the latest first. */
export function TimelineCard({ of, timeline }: TimelineCardProps) {
  return (
    <Card title="Timeline" className="min-w-0">
      {timeline.data ? (
        <ol aria-label="Timeline">
          <Entries of={of} part={timeline.data} shownAtFirst={SHOWN_AT_FIRST} />
        </ol>
      ) : (
        <Failure text="Failed to load timeline" onRetry={() => void timeline.refetch()} />
      )}
    </Card>
  )
}

interface EntriesProps {
  of: TimelineOf
  part: ReferralTimeline
  shownAtFirst: number
  /** The ids of the entries that were shown above this part. New entries can push them down into this part. */
  knownBefore?: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/** One part of the timeline, with the earlier parts that the person has opened. Folded entries are printed too. */
function Entries({ of, part, shownAtFirst, knownBefore = NONE }: EntriesProps) {
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
          entry={entry}
          isNew={!known.has(entry.id)}
          isLast={index === entries.length - 1 && !earlier}
          className={index < shown ? 'flex' : 'hidden print:flex'}
        />
      ))}
      {next.data && before !== undefined ? (
        <Entries of={of} part={next.data} shownAtFirst={Number.POSITIVE_INFINITY} knownBefore={known} />
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

interface EntryProps {
  ref?: Ref<HTMLLIElement> | undefined
  entry: TimelineEntry
  isNew: boolean
  isLast: boolean
  className: string
}

function Entry({ ref, entry, isNew, isLast, className }: EntryProps) {
  const { type, at, text, is_lender: isLender } = entry
  return (
    <li
      ref={ref}
      tabIndex={-1}
      data-changed={isNew ? changeMark(1) : undefined}
      className={clsx('relative gap-3 outline-none', !isLast && 'pb-5', className)}
    >
      {!isLast && <span aria-hidden className="absolute top-6 bottom-0 left-3 w-px -translate-x-1/2 bg-line" />}
      <Mark entry={entry} />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <p className="min-w-0 break-words">
            <Sentence entry={entry} />
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

function Mark({ entry: { type, value } }: { entry: TimelineEntry }) {
  const icons = {
    submitted: <Send />,
    converted: <Handshake />,
    note: <MessageSquareText />,
    status: null,
    stage: null,
  }
  return (
    <span
      aria-hidden
      className="relative flex size-6 shrink-0 items-center justify-center rounded-full bg-hover text-muted [&_svg]:size-3.5"
    >
      {icons[type] ?? <span className={clsx('size-2.5 rounded-full', DOTS[badgeColour(value)])} />}
    </span>
  )
}

/** The event, and the person who caused it. */
function Sentence({ entry: { type, by, value, days, is_lender: isLender } }: { entry: TimelineEntry }): ReactNode {
  switch (type) {
    case 'submitted':
      return isLender ? (
        <strong className="font-semibold">Entered by the lender</strong>
      ) : (
        <>
          <strong className="font-semibold">Submitted</strong>
          {by && <span className="text-muted"> by {by}</span>}
        </>
      )
    case 'converted':
      return <strong className="font-semibold">Became a deal</strong>
    case 'note':
      return (
        <>
          <strong className="font-semibold">{by}</strong> {isLender && <Badge variant="primary">Lender</Badge>}
        </>
      )
    default:
      return (
        <>
          <strong className="font-semibold">{value}</strong>
          <span className="text-muted">
            {by && ` · ${by}`}
            {days !== null && days > 0 && ` · for ${formatDays(days)}`}
          </span>
        </>
      )
  }
}
