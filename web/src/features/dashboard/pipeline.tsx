import type { PipelineStage } from '@portal/contract/dashboard.ts'
import { meaningOf, type Outcome } from '@portal/contract/meanings.ts'
import { formatMoney } from '@portal/contract/money.ts'
import { clsx } from 'clsx'
import { paths } from '../../app/paths.ts'
import { formatCount } from '../../format/count.ts'
import { Link } from '../../router/link.tsx'

const GROUPS: { outcomes: Outcome[]; label: string; bar: string; dot: string }[] = [
  { outcomes: ['open'], label: 'Pipeline value', bar: 'fill-brand', dot: 'bg-brand' },
  { outcomes: ['funded'], label: 'Won', bar: 'fill-success-dot', dot: 'bg-success-dot' },
  { outcomes: ['lost', 'handed on'], label: 'Not won', bar: 'fill-faint', dot: 'bg-faint' },
]

/**
 * The number and value of the deals in each stage, with a bar for its share of the value. The longest bar is that of the
 * stage with the most. Only open deals count towards the pipeline value. Colours distinguish open, won and other deals.
 */
export function Pipeline({ stages }: { stages: PipelineStage[] }) {
  const most = Math.max(1, ...stages.map(({ value }) => value))
  const total = stages.reduce((sum, { value }) => sum + value, 0)
  return (
    <div className="@container grid grid-cols-1 gap-5 p-5">
      <dl className="flex flex-wrap gap-x-8 gap-y-3">
        {GROUPS.map((group) => (
          <GroupTotal
            key={group.label}
            label={group.label}
            dot={group.dot}
            stages={stages.filter(({ stage }) => groupOf(stage) === group)}
          />
        ))}
      </dl>
      <ul aria-label="Deals by stage" className="-mx-3 grid gap-0.5">
        {stages.map((stage) => (
          <li key={stage.stage}>
            <Link
              {...paths.dealsInStage(stage.stage)}
              className="grid grid-cols-[4rem_minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 rounded-lg px-3 py-1.5 hover:bg-hover @xl:grid-cols-[minmax(0,19rem)_minmax(0,1fr)_4.5rem_7rem]"
            >
              <span className="min-w-0 font-medium break-words @max-xl:col-span-2">{stage.stage}</span>
              <PercentBar
                stage={stage}
                length={(stage.value / most) * 100}
                share={total > 0 ? stage.value / total : 0}
              />
              <span className="text-muted tabular-nums @max-xl:col-start-1 @max-xl:row-start-2 @xl:text-right">
                {formatCount(stage.count, 'deal')}
              </span>
              <span className="text-right font-medium tabular-nums @max-xl:col-start-3 @max-xl:row-start-1">
                {formatMoney(stage.value)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

function groupOf(stage: string) {
  return GROUPS.find(({ outcomes }) => outcomes.includes(meaningOf('deal-stage', stage).outcome))
}

function GroupTotal({ label, dot, stages }: { label: string; dot: string; stages: PipelineStage[] }) {
  if (stages.length === 0) return null
  const value = stages.reduce((sum, stage) => sum + stage.value, 0)
  const count = stages.reduce((sum, stage) => sum + stage.count, 0)
  return (
    <div>
      <dt className="flex items-center gap-2 text-muted">
        <span aria-hidden className={clsx('size-2.5 rounded-sm', dot)} />
        {label}
      </dt>
      <dd className="mt-0.5 flex items-baseline gap-2">
        <span className="text-lg font-semibold tabular-nums">{formatMoney(value)}</span>
        <span className="text-[0.8125rem] text-muted tabular-nums">{formatCount(count, 'deal')}</span>
      </dd>
    </div>
  )
}

interface PercentBarProps {
  stage: PipelineStage
  length: number
  share: number
}

function PercentBar({ stage: { stage }, length, share }: PercentBarProps) {
  const { bar } = groupOf(stage) ?? {}
  const percent = (share * 100).toFixed(1)
  return (
    <span className="flex items-center gap-3 @max-xl:col-span-2 @max-xl:col-start-2 @max-xl:row-start-2">
      <svg
        role="img"
        aria-label={`${stage}: ${percent} percent of the value`}
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        className="h-1.5 min-w-0 flex-1 overflow-hidden rounded-full bg-hover"
      >
        <rect width={length} height="6" className={bar} />
      </svg>
      <span aria-hidden className="w-11 text-right text-[0.8125rem] text-muted tabular-nums">
        {percent}%
      </span>
    </span>
  )
}
