import { clsx } from 'clsx'
import { scaleBand, scaleLinear } from 'd3-scale'
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
const TICKS = 4
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

  const across = scaleBand(
    bars.map(({ key }) => key),
    [0, 100],
  )
    .paddingInner(0.4)
    .paddingOuter(0.1)
  const up = scaleLinear([0, Math.max(metric.scaleMin, ...bars.map(({ value }) => value))], [HEIGHT, 10]).nice(TICKS)
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
            {up
              .ticks(TICKS)
              .filter((tick) => metric.scaleMin > TICKS || Number.isInteger(tick))
              .map((tick) => (
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
                  x={`${across(key)}%`}
                  width={`${across.bandwidth()}%`}
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
                x={`${(across(key) ?? 0) + across.bandwidth() / 2}%`}
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
              x={`${(across(bar.key) ?? 0) - (across.step() - across.bandwidth()) / 2}%`}
              width={`${across.step()}%`}
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

function nameOf({ name, isRunning }: Bar): string {
  return isRunning ? `${name}, so far` : name
}

function nextStop(key: string, from: number, last: number): number | null {
  if (key === 'ArrowLeft') return Math.max(0, from - 1)
  if (key === 'ArrowRight') return Math.min(last, from + 1)
  if (key === 'Home') return 0
  return key === 'End' ? last : null
}
