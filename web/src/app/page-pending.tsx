import { Spinner } from '../ui/spinner.tsx'

/** While a page's code is on its way. */
export function PagePending() {
  return <Spinner label="Loading" className="min-h-[60dvh]" />
}
