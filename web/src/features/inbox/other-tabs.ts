/** The person's other pages in this browser. Browsers without channels show there what they show after the next focus. */
const channel = 'BroadcastChannel' in window ? new BroadcastChannel('inbox') : undefined

/** Tells the other pages that the person has read something or put it away. */
export function tellOtherTabs(): void {
  channel?.postMessage(null)
}

/** Calls `onRead` when the person has read something on another page. Returns a function that ends this. */
export function followOtherTabs(onRead: () => void): () => void {
  channel?.addEventListener('message', onRead)
  return () => channel?.removeEventListener('message', onRead)
}
