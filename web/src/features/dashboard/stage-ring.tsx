import type { PipelineStage } from '@portal/contract/dashboard.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { arc, pie } from 'd3-shape'
import { formatCount } from '../../format/count.ts'

const RADIUS = 100
const THICKNESS = 22
/** As many characters of a pixel each fit across the ring's inside. */
const WIDTH_OF_FIGURE = 250

interface StageRingProps {
  stages: PipelineStage[]
  colours: string[]
  active: string | null
  onActive: (stage: string | null) => void
}

/** Slices by value; by count where no deal has an amount yet. In the middle stands the total, or the slice pointed at. */
export function StageRing({ stages, colours, active, onActive }: StageRingProps) {
  const value = stages.reduce((sum, stage) => sum + stage.value, 0)
  const count = stages.reduce((sum, stage) => sum + stage.count, 0)
  const slices = pie<PipelineStage>()
    .value((stage) => (value > 0 ? stage.value : stage.count))
    .sort(null)
    .padAngle(0.018)(stages)
  const shape = arc<(typeof slices)[number]>()
    .innerRadius(RADIUS - THICKNESS)
    .outerRadius(RADIUS)
    .cornerRadius(4)
  const shown = stages.find((stage) => stage.stage === active) ?? { stage: 'Pipeline value', value, count }
  const figure = formatMoney(shown.value)

  return (
    <svg
      role="img"
      aria-label={`Deal pipeline: ${formatMoney(value)} in ${formatCount(count, 'deal')}`}
      viewBox="-104 -104 208 208"
      className="mx-auto w-full max-w-60"
    >
      {slices.map((slice, position) => {
        const { stage } = slice.data
        const isDimmed = active !== null && active !== stage
        return (
          <path
            key={stage}
            d={shape(slice) ?? undefined}
            fill={colours[position]}
            opacity={isDimmed ? 0.3 : 1}
            className="transition-opacity duration-150"
            onMouseEnter={() => onActive(stage)}
            onMouseLeave={() => onActive(null)}
          />
        )
      })}
      <g textAnchor="middle" aria-hidden>
        <text y="-18" className="fill-muted text-[10.5px] font-medium">
          {shorten(shown.stage)}
        </text>
        <text
          y="9"
          fontSize={Math.min(23, WIDTH_OF_FIGURE / figure.length)}
          className="fill-ink font-semibold tracking-tight tabular-nums"
        >
          {figure}
        </text>
        <text y="30" className="fill-muted text-[10.5px] tabular-nums">
          {formatCount(shown.count, 'deal')}
        </text>
      </g>
    </svg>
  )
}

function shorten(text: string): string {
  return text.length > 24 ? `${text.slice(0, 23).trimEnd()}…` : text
}
