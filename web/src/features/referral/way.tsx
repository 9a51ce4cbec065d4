import { wholeDays } from '@portal/contract/dates.ts'
import type { Standing } from '@portal/contract/timeline.ts'
import type { Outcome } from '@portal/contract/way.ts'
import { clsx } from 'clsx'
import { Check, CornerUpRight, Hourglass, X } from 'lucide-react'
import { formatDate, formatDayInShort, formatDays } from '../../format/dates.ts'
import { formatUsualDays } from '../../format/usual-time.ts'

/**
 * The progress of a referral: its steps, what its present status or stage means, and how long that usually lasts (D75).
 */
export function Way({ standing }: { standing: Standing }) {
  return (
    <section aria-label="Progress of this referral" className="panel mb-5">
      <Steps standing={standing} />
      <div className="grid gap-x-8 gap-y-2.5 border-t border-line px-5 py-4 sm:grid-cols-[1fr_auto]">
        <div className="min-w-0">
          <p className="break-words">
            <span className="font-semibold">{standing.value}</span>{' '}
            <span className="text-muted">{sinceText(standing)}</span>
          </p>
          {standing.meaning && <p className="mt-0.5 max-w-prose text-pretty">{standing.meaning}</p>}
        </div>
        {standing.usual && <Usual standing={standing} usual={standing.usual} />}
      </div>
    </section>
  )
}

type StepState = 'done' | 'here' | 'to come'

const STATE_WORDS: Record<StepState, string> = { done: 'done', here: 'now here', 'to come': 'to come' }
const END_WORDS: Record<Outcome, string> = {
  open: STATE_WORDS.here,
  funded: STATE_WORDS.done,
  lost: 'ended here, lost',
  'handed on': 'ended here, handed on',
}

function Steps({ standing: { steps, step, outcome } }: { standing: Standing }) {
  const position = steps.findIndex(({ name }) => name === step)
  return (
    <ol aria-label="Steps" className="flex px-2 pt-5 pb-4 sm:px-5">
      {steps.map(({ name, reached_at }, index) => {
        const state: StepState = index < position ? 'done' : index === position ? 'here' : 'to come'
        return (
          <li
            key={name}
            aria-current={state === 'here' ? 'step' : undefined}
            className="relative flex min-w-0 flex-1 flex-col items-center px-0.5 text-center"
          >
            {index > 0 && (
              <span
                aria-hidden
                className={clsx(
                  'absolute top-3 right-1/2 h-0.5 w-full -translate-y-1/2',
                  state === 'to come' ? 'bg-line' : outcome === 'funded' ? 'bg-success-dot' : 'bg-brand',
                )}
              />
            )}
            <StepMark state={state} outcome={outcome} />
            <span
              className={clsx(
                'mt-2 text-2xs/4 sm:text-[0.8125rem]/5',
                state === 'here' ? 'font-semibold' : state === 'done' ? 'font-medium' : 'text-muted',
              )}
            >
              {name}
            </span>
            <span className="sr-only">, {state === 'here' ? END_WORDS[outcome] : STATE_WORDS[state]}</span>
            {reached_at && (
              <time dateTime={reached_at} className="text-xs text-muted tabular-nums max-sm:sr-only">
                {formatDayInShort(reached_at)}
              </time>
            )}
          </li>
        )
      })}
    </ol>
  )
}

function StepMark({ state, outcome }: { state: StepState; outcome: Outcome }) {
  return (
    <span
      aria-hidden
      className={clsx(
        'relative z-1 flex size-6 items-center justify-center rounded-full [&_svg]:size-3.5 [&_svg]:stroke-3',
        markLooks(state, outcome),
      )}
    >
      {state === 'to come' ? null : state === 'done' || outcome === 'funded' ? (
        <Check />
      ) : outcome === 'lost' ? (
        <X />
      ) : outcome === 'handed on' ? (
        <CornerUpRight />
      ) : (
        <span className="size-2 rounded-full bg-brand" />
      )}
    </span>
  )
}

function markLooks(state: StepState, outcome: Outcome): string {
  if (state === 'to come') return 'border-2 border-line-strong bg-surface'
  if (outcome === 'funded') return 'bg-success-dot text-surface'
  if (state === 'done') return 'bg-brand text-white'
  if (outcome === 'lost') return 'bg-error-dot text-surface'
  if (outcome === 'handed on') return 'bg-muted text-surface'
  return 'border-2 border-brand bg-surface ring-4 ring-brand-tint'
}

/** For example `since Nov 19, 2026 · 3 days`, or `on Nov 19, 2026` for a referral that has ended. */
function sinceText({ outcome, since }: Standing): string {
  if (outcome !== 'open') return `on ${formatDate(since)}`
  const days = daysSince(since)
  return `since ${formatDate(since)}${days > 0 ? ` · ${formatDays(days)}` : ''}`
}

function Usual({ standing, usual }: { standing: Standing; usual: NonNullable<Standing['usual']> }) {
  const isLong = daysSince(standing.since) > 2 * usual.days && daysSince(standing.since) >= 7
  return (
    <div className={clsx('flex gap-2 sm:max-w-52', isLong ? 'text-warning-ink' : 'text-muted')}>
      <Hourglass aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p>
        Usually {formatUsualDays(usual.days)} here
        {usual.of === 'everybody' && <span className="block text-[0.8125rem]">across all partners</span>}
      </p>
    </div>
  )
}

function daysSince(since: string): number {
  return wholeDays(since, new Date().toISOString())
}
