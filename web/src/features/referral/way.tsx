import { wholeDays } from '@portal/contract/calendar.ts'
import type { Outcome } from '@portal/contract/meanings.ts'
import type { Standing } from '@portal/contract/timeline.ts'
import { clsx } from 'clsx'
import { Check, CornerUpRight, X } from 'lucide-react'
import { formatDate, formatDayInShort, formatDays } from '../../format/dates.ts'
import { formatUsualDays } from '../../format/usual-time.ts'

/**
 * The progress of a referral in one line: its steps and, at the step where it stands, since when, what that means and how
 * long it usually lasts (D75). In a narrow column the steps are a bar above this text.
 */
export function Way({ standing }: { standing: Standing }) {
  const stops = stopsOf(standing)
  return (
    <section aria-label="Progress of this referral" className="@container mt-4 border-t border-line pt-4">
      <ol aria-label="Steps" className="flex flex-wrap items-start gap-x-1 gap-y-2 @4xl:flex-nowrap @4xl:gap-x-3">
        {stops.map((stop, index) =>
          stop.state === 'here' ? (
            <li
              key={stop.name}
              aria-current="step"
              className="contents @4xl:flex @4xl:min-w-0 @4xl:flex-1 @4xl:gap-x-2"
            >
              <Bar looks={markLooks('here', standing.outcome)} />
              <StepMark state="here" outcome={standing.outcome} />
              <div className="order-last min-w-0 basis-full @4xl:order-none @4xl:flex-1">
                <p className="@4xl:flex @4xl:min-h-5 @4xl:items-center @4xl:gap-3">
                  <span>
                    <strong className="font-semibold">{stop.name}</strong>
                    <span className="sr-only">, {END_WORDS[standing.outcome]}</span>{' '}
                    <TimeHere standing={standing} reachedAt={stop.reached_at} />
                  </span>
                  {index < stops.length - 1 && <Connector className="min-w-4 flex-1 bg-line" />}
                </p>
                {standing.meaning && <p className="text-pretty break-words text-muted">{standing.meaning}</p>}
              </div>
            </li>
          ) : (
            <li
              key={stop.name}
              title={stop.reached_at ? `${stop.name} on ${formatDate(stop.reached_at)}` : undefined}
              className="flex flex-1 items-center gap-2 @4xl:min-h-5 @4xl:flex-none"
            >
              <Bar
                looks={
                  stop.state === 'to come'
                    ? 'bg-line-strong'
                    : standing.outcome === 'funded'
                      ? 'bg-success-dot'
                      : 'bg-brand'
                }
              />
              <StepMark state={stop.state} outcome={standing.outcome} />
              <span className="whitespace-nowrap text-muted @max-4xl:sr-only">
                {stop.name}
                <span className="sr-only">, {stop.state}</span>
              </span>
              {index < stops.length - 1 && (
                <Connector className={clsx('w-4', stop.state === 'done' ? 'bg-line-strong' : 'bg-line')} />
              )}
            </li>
          ),
        )}
      </ol>
    </section>
  )
}

type StopState = 'done' | 'here' | 'to come'

interface Stop {
  name: string
  state: StopState
  reached_at: string | null
}

const END_WORDS: Record<Outcome, string> = { open: 'now here', funded: 'done', lost: 'ended', 'handed on': 'ended' }

/** The steps of a referral. A referral that has ended elsewhere has no steps to come; its end has a name instead. */
function stopsOf({ steps, step, outcome, value, since }: Standing): Stop[] {
  const position = steps.findIndex(({ name }) => name === step)
  const end = endName(outcome, value)
  if (end !== null) {
    const reached = steps.slice(0, outcome === 'lost' ? position + 1 : position)
    return [
      ...reached.map((one) => ({ ...one, state: 'done' as const })),
      { name: end, state: 'here', reached_at: since },
    ]
  }
  return steps.map((one, index) => ({
    ...one,
    state: index < position ? 'done' : index === position ? 'here' : 'to come',
  }))
}

function endName(outcome: Outcome, value: string): string | null {
  if (outcome === 'lost') return 'Lost'
  if (outcome !== 'handed on') return null
  const lender = /^(?:thrown to|with) (.+)$/i.exec(value)?.[1]
  return lender ? `Handed to ${lender}` : 'Handed on'
}

/** The part of the bar in a narrow column. */
function Bar({ looks }: { looks: string }) {
  return <span aria-hidden className={clsx('h-1.5 flex-1 rounded-full @4xl:hidden', looks)} />
}

function Connector({ className }: { className: string }) {
  return <span aria-hidden className={clsx('h-px @max-4xl:hidden', className)} />
}

function StepMark({ state, outcome }: { state: StopState; outcome: Outcome }) {
  return (
    <span
      aria-hidden
      className={clsx(
        'flex size-5 shrink-0 items-center justify-center rounded-full @max-4xl:hidden [&_svg]:size-3 [&_svg]:stroke-3',
        state === 'to come' ? 'border-2 border-line-strong' : markLooks(state, outcome),
      )}
    >
      {state === 'to come' ? null : state === 'done' || outcome === 'funded' ? (
        <Check />
      ) : outcome === 'lost' ? (
        <X />
      ) : outcome === 'handed on' ? (
        <CornerUpRight />
      ) : (
        <span className="size-2 rounded-full bg-surface forced-colors:bg-brand" />
      )}
    </span>
  )
}

function markLooks(state: 'done' | 'here', outcome: Outcome): string {
  if (outcome === 'funded') return 'bg-success-dot text-surface'
  if (state === 'done') return 'bg-brand-tint text-brand-ink'
  if (outcome === 'lost') return 'bg-error-dot text-surface'
  if (outcome === 'handed on') return 'bg-muted text-surface'
  return 'bg-brand'
}

/**
 * For example `since Nov 19 · 3 days, usually 2 days`, or `on Nov 19, 2026` for a referral that has ended. If the step
 * began on an earlier day than the present status or stage, the text names the latter: `· Unable to Contact since …`.
 */
function TimeHere({ standing, reachedAt }: { standing: Standing; reachedAt: string | null }) {
  const { outcome, value, since, usual } = standing
  if (outcome !== 'open') return <span className="text-muted">on {formatDate(since)}</span>
  const isLaterThanStep = reachedAt !== null && formatDate(reachedAt) !== formatDate(since)
  const days = daysSince(since)
  const isLong = usual !== null && days > 2 * usual.days && days >= 7
  return (
    <span className={isLong ? 'text-warning-ink' : 'text-muted'}>
      {isLaterThanStep && `· ${value} `}since {formatDayInShort(since)}
      {days > 0 && ` · ${formatDays(days)}`}
      {usual && `${days > 0 ? ',' : ' ·'} usually ${formatUsualDays(usual.days)}`}
      {usual?.of === 'everybody' && ' across all partners'}
    </span>
  )
}

function daysSince(since: string): number {
  return wholeDays(since, new Date().toISOString())
}
