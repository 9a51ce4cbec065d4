const ANSWER_MS_MAX = 5_000

/** Whether the portal answers a request for the current page in time. */
export function isReachable(): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWER_MS_MAX)
  return fetch(window.location.href, { method: 'HEAD', cache: 'no-store', signal }).then(
    ({ ok }) => ok,
    () => false,
  )
}
