import { Clock } from 'lucide-react'
import { Badge, type BadgeVariant } from './badge.tsx'

/** Says that something waits, and why, if that is known. */
export function WaitingMark({
  text,
  reason,
  variant,
}: {
  text: string
  reason?: string | null | undefined
  variant: BadgeVariant
}) {
  return (
    <>
      <Badge variant={variant}>
        <Clock aria-hidden className="mr-1 inline size-3 align-[-0.125rem]" />
        {text}
      </Badge>
      {reason && <span className="text-[0.8125rem] text-muted">{reason}</span>}
    </>
  )
}
