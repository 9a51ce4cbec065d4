/**
 * After navigation, moves the focus to the new page's heading, or to `main` if there is none, so that a screen reader
 * reads on from there. If the page has put the focus into one of its fields, the focus stays there.
 */
export function focusHeading() {
  if (document.activeElement?.matches('main :is(input, select, textarea)')) return
  const target = document.querySelector<HTMLElement>('h1[tabindex]') ?? document.querySelector<HTMLElement>('main')
  target?.focus({ preventScroll: true })
}
