import { clsx } from 'clsx'
import type { ReactNode } from 'react'

export interface Description {
  term: string
  /** An unknown value is shown as a dash. */
  value: ReactNode
  /** The entry takes the whole line. */
  wide?: boolean
  /** The entry is shown only in print. */
  isFolded?: boolean
}

interface DescriptionListProps {
  items: readonly Description[]
  id?: string
  className?: string
}

export function DescriptionList({ items, id, className }: DescriptionListProps) {
  return (
    <dl id={id} className={clsx('grid grid-cols-1 gap-x-8 gap-y-3 sm:grid-cols-2 sm:gap-y-4', className)}>
      {items.map(({ term, value, wide, isFolded }) => (
        <div
          key={term}
          className={clsx(
            'min-w-0',
            wide && 'sm:col-span-2',
            isFolded
              ? 'hidden print:block'
              : !wide && 'max-sm:flex max-sm:justify-between max-sm:gap-4 max-sm:text-right',
          )}
        >
          <dt className="shrink-0 text-[0.8125rem] text-muted">{term}</dt>
          <dd className="min-w-0 font-medium sm:mt-0.5 break-words whitespace-pre-line">{value || '—'}</dd>
        </div>
      ))}
    </dl>
  )
}

export const textLinkClass =
  'rounded-sm font-medium text-brand-ink underline decoration-brand-ink/30 underline-offset-3 hover:decoration-current'
