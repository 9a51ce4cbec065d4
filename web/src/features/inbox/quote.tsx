import type { ReactNode } from 'react'

/** The lender's own words, never to be taken for the partner's. */
export function Quote({ children }: { children: ReactNode }) {
  return (
    <q className="mt-1 line-clamp-2 border-l-2 border-brand pl-2.5 text-[0.8125rem] wrap-anywhere text-ink quotes-['“''”']">
      {children}
    </q>
  )
}
