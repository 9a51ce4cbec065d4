import type { MouseEvent } from 'react'
import type { Location } from '../router/address.ts'
import { useRouter } from '../router/router-view.tsx'

/** The paths that this visit has opened, by the index of their entries in the browser's history. */
const pages = new Map<number, string>()

export function rememberPage({ state, pathname }: Location) {
  pages.set(state.index, pathname)
}

/**
 * The click handler for a link to the page above, such as the list of leads. If the person came from that page, the
 * link goes back in the browser's history, so the list keeps its filters, page and scroll position. Otherwise it works
 * like any other link.
 */
export function useWayBack(path: string) {
  const router = useRouter()
  return (event: MouseEvent) => {
    const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey
    if (!isPlain || pages.get(router.now().location.state.index - 1) !== path) return
    event.preventDefault()
    router.back()
  }
}
