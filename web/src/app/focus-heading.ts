import type { AnyRouter } from '@tanstack/react-router'

/** After going to another page the focus stands on its heading, so that a screen reader reads on from there. */
export function focusHeadingAfterNavigation(router: AnyRouter): () => void {
  return router.subscribe('onRendered', ({ fromLocation, toLocation }) => {
    if (!fromLocation || fromLocation.pathname === toLocation.pathname) return
    const target = document.querySelector<HTMLElement>('h1[tabindex]') ?? document.querySelector<HTMLElement>('main')
    target?.focus({ preventScroll: true })
  })
}
