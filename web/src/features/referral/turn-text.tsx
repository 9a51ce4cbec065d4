import { SIDE_TEXTS, type Side } from '@portal/contract/meanings.ts'
import { clsx } from 'clsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

interface TurnTextProps {
  /** Null once the record has come to its end. */
  side: Side | null
  /** What is said instead of whose turn it is. */
  text?: string | undefined
  /** When the record last changed, if the row tells it (D81). */
  changed?: string
}

/**
 * Whose turn it is and when something last moved, as a small text in a row of a list (D127). A phone has room for one of
 * the two.
 */
export function TurnText({ side, text, changed }: TurnTextProps) {
  return (
    <span className="flex gap-1 text-2xs/3 whitespace-nowrap text-muted">
      {side && (
        <span className={clsx(side === 'partner' && 'font-semibold text-brand-ink')}>{text ?? SIDE_TEXTS[side]}</span>
      )}
      {side && changed && (
        <span aria-hidden className="max-sm:hidden">
          ·
        </span>
      )}
      {changed && (
        <span title="Last change" className={clsx(side && 'max-sm:hidden')}>
          <RelativeTime at={changed} />
        </span>
      )}
    </span>
  )
}
