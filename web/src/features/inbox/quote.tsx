import { clsx } from 'clsx'
import type { ReactNode } from 'react'

interface QuoteProps {
  /** The author of the words. Set it if nothing nearby names the author. */
  by?: string
  className?: string
  children: ReactNode
}

/** The lender's own words, marked so that nobody takes them for the partner's. */
export function Quote({ by, className, children }: QuoteProps) {
  return (
    <span
      className={clsx(
        'mt-1 line-clamp-2 border-l-2 border-brand pl-2.5 text-[0.8125rem] wrap-anywhere text-ink',
        className,
      )}
    >
      {by && <span className="text-muted">{by}: </span>}
      <q className="quotes-['“''”']">{children}</q>
    </span>
  )
}
