const KEY = 'auth_unverified'

/** Whether the person had to confirm their email address when the server last said so. A reloaded page knows it at once. */
export function readUnverified(): boolean {
  return localStorage.getItem(KEY) !== null
}

export function storeUnverified(isUnverified: boolean) {
  if (isUnverified) localStorage.setItem(KEY, '1')
  else localStorage.removeItem(KEY)
}
