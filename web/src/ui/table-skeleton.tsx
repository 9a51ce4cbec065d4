import { clsx } from 'clsx'
import { Skeleton } from './skeleton.tsx'

interface TableSkeletonProps {
  label: string
  columns: readonly {
    key: string
    header: string
    headerHidden?: boolean
    sortable?: boolean
    align?: 'left' | 'right'
  }[]
  rows: number
}

/** The outline of a table while it is loading. */
export function TableSkeleton({ label, columns, rows }: TableSkeletonProps) {
  return (
    <div role="status" aria-label={label} className="overflow-hidden">
      <div aria-hidden>
        <div className="flex h-9.25 items-center gap-8 border-b border-line px-5 max-wide:hidden">
          {columns.map(({ key, header, headerHidden, align }) => (
            <span
              key={key}
              className={clsx(
                'min-w-0 flex-1 truncate text-xs font-medium text-muted',
                align === 'right' && 'text-right',
              )}
            >
              {!headerHidden && header}
            </span>
          ))}
        </div>
        {columns.some(({ sortable }) => sortable) && (
          <div className="h-12.25 border-b border-line wide:hidden pointer-coarse:h-14.25" />
        )}
        {Array.from({ length: rows }, (_, row) => (
          // The rows have no identity, and they never change places.
          <div
            key={row}
            className="flex h-11 items-center gap-8 border-b border-line px-5 last:border-0 max-wide:h-22 max-wide:px-4 max-sm:h-26.5 max-sm:flex-wrap max-sm:content-center max-sm:gap-4"
          >
            {columns.map(({ key }, position) => (
              <span key={key} className={clsx('flex-1 max-sm:basis-2/5', position > 3 && 'max-wide:hidden')}>
                <Skeleton className={clsx('h-3.5', (row + position) % 3 === 0 ? 'w-4/5' : 'w-3/5')} />
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
