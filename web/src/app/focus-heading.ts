import type { AnyRouter } from '@tanstack/react-router'

/**
 * After going to another page the focus stands on its heading, so that a screen reader reads on from there. A page that has
 * put the focus into a field of its own keeps it there.
 */
export function focusHeadingAfterNavigation(router: AnyRouter): () => void {
  return router.subscribe('onRendered', ({ fromLocation, toLocation }) => {
    if (!fromLocation || fromLocation.pathname === toLocation.pathname) return
    if (document.activeElement?.matches('main :is(input, select, textarea)')) return
    const target = document.querySelector<HTMLElement>('h1[tabindex]') ?? document.querySelector<HTMLElement>('main')
    target?.focus({ preventScroll: true })
  })
}
