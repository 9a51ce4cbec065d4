import { clsx } from 'clsx'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import type { Metric } from './trend-metrics.ts'

export interface Bar {
  key: string
  /** For example `Week of Nov 16`. */
  name: string
  /** The label below the bar. */
  mark: string
  value: number
  /** The period is not over, so its figure may still grow. */
  isRunning: boolean
}

interface TrendChartProps {
  label: string
  summary: string
  metric: Metric
  bars: readonly Bar[]
}

const HEIGHT = 188
/** The highest bar ends below this. */
const TOP = 10
/** About this many lines are drawn above the base line. */
const LINES = 4
/** The share of a bar's step that stays empty, half of it on each side. */
const GAP = 0.4
/** The radius of a bar's round top. The rounding below the base line is cut off. */
const RADIUS = 3

/**
 * A bar chart. Horizontal positions are in percent, so the chart fits any width without being measured. Vertical
 * positions are in pixels.
 */
export function TrendChart({ label, summary, metric, bars }: TrendChartProps) {
  const last = bars.length - 1
  const [active, setActive] = useState<number | null>(null)
  // The tab key stops at only one bar. The arrow keys move to the other bars.
  const [stop, setStop] = useState(last)
  const ref = useRef<SVGSVGElement>(null)
  const summaryId = useId()

  const step = 100 / bars.length
  const ticks = ticksUpTo(Math.max(metric.scaleMin, ...bars.map(({ value }) => value)))
  const up = (value: number) => HEIGHT - ((HEIGHT - TOP) * value) / (ticks.at(-1) ?? value)
  const shown = bars[active ?? last]

  function handleKey(event: KeyboardEvent) {
    const next = nextStop(event.key, stop, last)
    if (next === null) return
    event.preventDefault()
    ref.current?.querySelectorAll<SVGElement>('[role="img"]')[next]?.focus()
  }

  return (
    <figure className="@container">
      <figcaption className="flex min-h-16 flex-wrap items-baseline justify-between gap-x-6 gap-y-1 @md:min-h-11 @3xl:min-h-5">
        <p id={summaryId} className="text-muted">
          {summary}
        </p>
        {shown && (
          <p aria-hidden className="whitespace-nowrap tabular-nums max-[20rem]:whitespace-normal">
            <span className="text-muted">{nameOf(shown)}:</span>{' '}
            <span className="font-semibold">{metric.say(shown.value)}</span>
          </p>
        )}
      </figcaption>
      <div className="mt-3 pl-11">
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys move between bars */}
        <svg
          ref={ref}
          role="group"
          aria-label={label}
          aria-describedby={summaryId}
          onKeyDown={handleKey}
          className="h-55 w-full overflow-visible text-2xs"
        >
          <g aria-hidden>
            {ticks.map((tick) => (
              <g key={tick}>
                <line
                  x2="100%"
                  y1={up(tick)}
                  y2={up(tick)}
                  className={tick === 0 ? 'stroke-line-strong' : 'stroke-line'}
                />
                <text x={-10} y={up(tick)} dy="0.35em" textAnchor="end" className="fill-muted tabular-nums">
                  {metric.mark(tick)}
                </text>
              </g>
            ))}
            <svg width="100%" height={HEIGHT}>
              {bars.map(({ key, value, isRunning }, position) => (
                <rect
                  key={key}
                  x={`${step * (position + GAP / 2)}%`}
                  width={`${step * (1 - GAP)}%`}
                  y={up(value)}
                  height={value === 0 ? 0 : HEIGHT - up(value) + RADIUS}
                  rx={RADIUS}
                  strokeDasharray={isRunning ? '3 3' : undefined}
                  className={clsx(
                    'transition-opacity duration-150',
                    isRunning ? 'fill-brand/35 stroke-brand stroke-[1.5]' : 'fill-brand',
                    active !== null && active !== position && 'opacity-35',
                  )}
                />
              ))}
            </svg>
            {bars.map(({ key, mark }, position) => (
              <text
                key={key}
                x={`${step * (position + 0.5)}%`}
                y={HEIGHT + 22}
                textAnchor="middle"
                className={clsx(
                  active === position ? 'fill-ink font-medium' : 'fill-muted',
                  // If not all labels fit, only every second or third is shown.
                  (last - position) % 2 !== 0 && '@max-2xl:@min-md:hidden',
                  (last - position) % 3 !== 0 && '@max-md:hidden',
                )}
              >
                {mark}
              </text>
            ))}
          </g>
          {bars.map((bar, position) => (
            <rect
              key={bar.key}
              role="img"
              aria-label={`${nameOf(bar)}: ${metric.say(bar.value)}`}
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard must reach the figures
              tabIndex={position === stop ? 0 : -1}
              x={`${step * position}%`}
              width={`${step}%`}
              height={HEIGHT}
              className="fill-transparent -outline-offset-1"
              onFocus={() => {
                setActive(position)
                setStop(position)
              }}
              onBlur={() => setActive(null)}
              onMouseEnter={() => setActive(position)}
              onMouseLeave={() => setActive(null)}
            />
          ))}
        </svg>
      </div>
    </figure>
  )
}

/** Round figures at equal distances, the first 0 and the last not below `most`. */
function ticksUpTo(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(most / LINES))
  const round = [1, 2, 5, 10].find((factor) => factor * power * LINES >= most * 0.8) ?? 10
  const distance = round * power
  return Array.from({ length: Math.ceil(most / distance) + 1 }, (_, index) => index * distance)
}

function nameOf({ name, isRunning }: Bar): string {
  return isRunning ? `${name}, so far` : name
}

function nextStop(key: string, from: number, last: number): number | null {
  if (key === 'ArrowLeft') return Math.max(0, from - 1)
  if (key === 'ArrowRight') return Math.min(last, from + 1)
  if (key === 'Home') return 0
  return key === 'End' ? last : null
}
