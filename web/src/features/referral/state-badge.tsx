import { type HistoryKind, meaningOf } from '@portal/contract/meanings.ts'
import { Badge } from '../../ui/badge.tsx'

/** A lead's status or a deal's stage, in the colour of its meaning. */
export function StateBadge({ kind, name, className }: { kind: HistoryKind; name: string; className?: string }) {
  return (
    <Badge variant={meaningOf(kind, name).colour} dot className={className}>
      {name}
    </Badge>
  )
}
