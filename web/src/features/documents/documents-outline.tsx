import { Skeleton } from '../../ui/skeleton.tsx'

export function DocumentsOutline() {
  return (
    <div role="status" aria-label="Loading documents">
      <Skeleton className="h-14" />
    </div>
  )
}
