import type { PipelineStage } from '@portal/contract/dashboard.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { scaleLinear } from 'd3-scale'
import { useState } from 'react'
import { formatCount } from '../../format/count.ts'
import { StageRing } from './stage-ring.tsx'

/** The stages as a ring of their value and a list with the figures; each lights up the other. */
export function Pipeline({ stages }: { stages: PipelineStage[] }) {
  const [active, setActive] = useState<string | null>(null)
  const hue = scaleLinear([0, Math.max(1, stages.length - 1)], [282, 158])
  const colours = stages.map((_, position) => `oklch(0.63 0.15 ${Math.round(hue(position))})`)
  return (
    <div className="grid grid-cols-1 items-center gap-x-8 gap-y-6 p-5 lg:grid-cols-[minmax(15rem,1fr)_minmax(0,2.4fr)]">
      <StageRing stages={stages} colours={colours} active={active} onActive={setActive} />
      <ul aria-label="Deals by stage" className="@container -mx-3 grid gap-0.5">
        {stages.map((stage, position) => (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- pointing shows nothing that is not written here
          <li
            key={stage.stage}
            onMouseEnter={() => setActive(stage.stage)}
            onMouseLeave={() => setActive(null)}
            data-active={stage.stage === active || undefined}
            className="grid grid-cols-[4rem_minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 rounded-lg px-3 py-1.5 data-active:bg-hover @xl:grid-cols-[minmax(0,19rem)_minmax(0,1fr)_4.5rem_7rem]"
          >
            <span className="flex min-w-0 items-center gap-2.5 @max-xl:col-span-2">
              <svg aria-hidden viewBox="0 0 10 10" className="size-2.5 shrink-0">
                <rect width="10" height="10" rx="3" fill={colours[position]} />
              </svg>
              <span className="min-w-0 font-medium break-words">{stage.stage}</span>
            </span>
            <PercentBar percent={stage.percentage} colour={colours[position]} label={stage.stage} />
            <span className="text-muted tabular-nums @max-xl:col-start-1 @max-xl:row-start-2 @xl:text-right">
              {formatCount(stage.count, 'deal')}
            </span>
            <span className="text-right font-medium tabular-nums @max-xl:col-start-3 @max-xl:row-start-1">
              {formatMoney(stage.value)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

interface PercentBarProps {
  percent: number
  colour: string | undefined
  label: string
}

function PercentBar({ percent, colour, label }: PercentBarProps) {
  return (
    <span className="flex items-center gap-3 @max-xl:col-span-2 @max-xl:col-start-2 @max-xl:row-start-2">
      <svg
        role="img"
        aria-label={`${label}: ${percent.toFixed(1)} percent of the deals`}
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        className="h-1.5 min-w-0 flex-1 overflow-hidden rounded-full bg-hover"
      >
        <rect width={percent} height="6" fill={colour} />
      </svg>
      <span aria-hidden className="w-11 text-right text-[0.8125rem] text-muted tabular-nums">
        {percent.toFixed(1)}%
      </span>
    </span>
  )
}
