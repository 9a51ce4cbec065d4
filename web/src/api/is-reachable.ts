/** Whether the portal answers a request for the current page. */
export function isReachable(): Promise<boolean> {
  return fetch(window.location.href, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
}
