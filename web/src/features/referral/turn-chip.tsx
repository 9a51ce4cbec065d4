import { SIDE_TEXTS, type Side } from '@portal/contract/meanings.ts'
import { clsx } from 'clsx'

interface TurnChipProps {
  side: Side | null | undefined
  /** What is said instead of whose turn it is. */
  text?: string | undefined
  className?: string
}

/** Whose turn it is, beside the name or status of a referral. Nothing is shown once the referral has ended (D127). */
export function TurnChip({ side, text, className }: TurnChipProps) {
  if (!side) return null
  return (
    <span
      className={clsx(
        'inline-flex shrink-0 items-center rounded-full border px-2 text-xs/5 font-medium whitespace-nowrap',
        side === 'partner' ? 'border-transparent bg-brand text-on-brand' : 'border-line-strong text-muted',
        className,
      )}
    >
      {text ?? SIDE_TEXTS[side]}
    </span>
  )
}
