import { OFFLINE, UNEXPECTED } from '../api/failure.ts'
import { Failure } from '../ui/failure.tsx'

/** A page that broke takes nothing else with it. */
export function PageCrash() {
  return <Failure text={navigator.onLine ? UNEXPECTED : OFFLINE} onRetry={retry} />
}

/** Code that did not come is not asked for again by this document, and offline there is no other one to get. */
function retry() {
  if (navigator.onLine) window.location.reload()
}
