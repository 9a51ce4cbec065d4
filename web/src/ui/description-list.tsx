import { clsx } from 'clsx'
import type { ReactNode } from 'react'

export interface Description {
  term: string
  /** An unknown value is shown as a dash. */
  value: ReactNode
  /** The entry takes the whole line. */
  wide?: boolean
}

interface DescriptionListProps {
  items: readonly Description[]
  className?: string
}

/** In a narrow column each value stands beside its term, otherwise below it. */
export function DescriptionList({ items, className }: DescriptionListProps) {
  return (
    <div className="@container">
      <dl className={clsx('grid grid-cols-1 gap-x-8 gap-y-2.5 @lg:grid-cols-2 @lg:gap-y-4', className)}>
        {items.map(({ term, value, wide }) => (
          <div
            key={term}
            className={clsx(
              'min-w-0',
              wide ? '@lg:col-span-2' : 'grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 @lg:block',
            )}
          >
            <dt className="text-[0.8125rem]/5 text-muted">{term}</dt>
            <dd className="min-w-0 font-medium wrap-anywhere whitespace-pre-line @lg:mt-0.5">{value || '—'}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

export const textLinkClass =
  'rounded-sm font-medium text-brand-ink underline decoration-brand-ink/30 underline-offset-3 hover:decoration-current'
