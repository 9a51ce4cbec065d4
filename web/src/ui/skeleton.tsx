import { clsx } from 'clsx'

/** The outline of what is coming. Give it the height of the real thing, so that nothing moves when that arrives. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={clsx('animate-pulse rounded-md bg-line', className)} />
}

/** Rows of a table or list that is on its way. */
export function SkeletonRows({ rows, label }: { rows: number; label: string }) {
  return (
    <div role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        // The rows have no identity; they never change places.
        <div key={row} className="flex h-16 items-center gap-4 border-b border-line px-5 last:border-0">
          <Skeleton className="h-3.5 w-2/5" />
          <Skeleton className="h-3.5 w-1/5" />
          <Skeleton className="ml-auto h-3.5 w-20" />
        </div>
      ))}
    </div>
  )
}
