import { Spinner } from '../ui/spinner.tsx'

/** Shown while a page's code is loading. */
export function PagePending() {
  return <Spinner label="Loading" className="min-h-[60dvh]" />
}
