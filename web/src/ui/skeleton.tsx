import { clsx } from 'clsx'

/**
 * The outline of content that is loading. Give it the height of the content, so that nothing moves when the content
 * arrives.
 */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={clsx('animate-pulse rounded-md bg-line', className)} />
}

/** The outline of a titled card while its fields are loading. */
export function CardSkeleton({ fields }: { fields: number }) {
  return (
    <div className="panel">
      <div className="flex h-8 items-center px-5 pt-4 box-content">
        <Skeleton className="h-4 w-36" />
      </div>
      <div className="grid gap-x-8 gap-y-4 px-5 pt-3 pb-5 sm:grid-cols-[repeat(auto-fit,minmax(16rem,1fr))]">
        {Array.from({ length: fields }, (_, field) => (
          // The fields have no identity, and they never change places.
          <div key={field} className="grid h-10.5 content-center gap-2">
            <Skeleton className="h-3 w-20" />
            <Skeleton className="h-3.5 w-40" />
          </div>
        ))}
      </div>
    </div>
  )
}

/** The outline of a table's or list's rows while they are loading. */
export function SkeletonRows({ rows, label }: { rows: number; label: string }) {
  return (
    <div role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        // The rows have no identity, and they never change places.
        <div key={row} className="flex h-16 items-center gap-4 border-b border-line px-5 last:border-0">
          <Skeleton className="h-3.5 w-2/5" />
          <Skeleton className="h-3.5 w-1/5" />
          <Skeleton className="ml-auto h-3.5 w-20" />
        </div>
      ))}
    </div>
  )
}
