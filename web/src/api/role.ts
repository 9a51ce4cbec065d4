import { type Role, roleOf } from '@portal/contract/roles.ts'

/**
 * The person's role as the server last sent it. It is stored, so a reloaded page knows it at once. The next sign-in
 * replaces it.
 */
const ROLE_KEY = 'auth_role'

/** `before` is null if the role was not known. */
type Listener = (before: Role | null) => void
const listeners = new Set<Listener>()

/** Returns null if the server has not sent the role yet. */
export function readRole(): Role | null {
  return roleOf(localStorage.getItem(ROLE_KEY)) ?? null
}

export function storeRole(role: Role) {
  const before = readRole()
  if (before === role) return
  localStorage.setItem(ROLE_KEY, role)
  for (const listener of listeners) listener(before)
}

export function onRoleChange(listener: Listener): () => void {
  function handleStorage(event: StorageEvent) {
    if (event.key === ROLE_KEY) listener(roleOf(event.oldValue) ?? null)
  }
  listeners.add(listener)
  window.addEventListener('storage', handleStorage)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', handleStorage)
  }
}
