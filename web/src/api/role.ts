import { Role } from '@portal/contract/roles.ts'

/** What the server last said the person's role is. Kept beside the token, so that a page that is loaded again knows it at once. */
const ROLE_KEY = 'auth_role'

const listeners = new Set<() => void>()

/** Null where the server has not said it yet. */
export function readRole(): Role | null {
  return Role.safeParse(localStorage.getItem(ROLE_KEY)).data ?? null
}

export function storeRole(role: Role) {
  if (readRole() === role) return
  localStorage.setItem(ROLE_KEY, role)
  for (const listener of listeners) listener()
}

export function dropRole() {
  localStorage.removeItem(ROLE_KEY)
}

export function onRoleChange(listener: () => void): () => void {
  function handleStorage(event: StorageEvent) {
    if (event.key === ROLE_KEY) listener()
  }
  listeners.add(listener)
  window.addEventListener('storage', handleStorage)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', handleStorage)
  }
}
