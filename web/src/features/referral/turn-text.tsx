import { SIDE_TEXTS, type Side } from '@portal/contract/meanings.ts'
import { clsx } from 'clsx'

/** Whose turn it is, as a small text in a row of a list (D127). */
export function TurnText({ side }: { side: Side }) {
  return (
    <span className={clsx('text-2xs/3', side === 'partner' ? 'font-semibold text-brand-ink' : 'text-muted')}>
      {SIDE_TEXTS[side]}
    </span>
  )
}
