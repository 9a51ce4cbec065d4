import { type AnyRouter, type ParsedLocation, useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'

/** The page that each entry of the browser's history shows, as far as this visit has seen them. */
const pages = new Map<number, string>()

export function rememberPages(router: AnyRouter): () => void {
  remember(router.latestLocation)
  return router.subscribe('onResolved', ({ toLocation }) => remember(toLocation))
}

function remember({ state, pathname }: ParsedLocation) {
  pages.set(state.__TSR_index, pathname)
}

/**
 * For a link to the page above: from there one has come, so it goes the browser's way back, to the list with its filters, its page and the row where
 * one was. Otherwise it is a link like any other.
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
