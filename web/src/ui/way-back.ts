import { type AnyRouter, type ParsedLocation, useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'

/** The page of each entry in the browser's history, if this visit has seen it. */
const pages = new Map<number, string>()

export function rememberPages(router: AnyRouter): () => void {
  remember(router.latestLocation)
  return router.subscribe('onResolved', ({ toLocation }) => remember(toLocation))
}

function remember({ state, pathname }: ParsedLocation) {
  pages.set(state.__TSR_index, pathname)
}

/**
 * For a link to the page above. If the person came from there, the link goes back in the browser's history, so the list
 * keeps its filters, page and row. Otherwise it is a link like any other.
 */
export function useWayBack(path: string) {
  const { history } = useRouter()
  return (event: MouseEvent) => {
    const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey
    if (!isPlain || pages.get(history.location.state.__TSR_index - 1) !== path) return
    event.preventDefault()
    history.back()
  }
}
