import { type Role, reaches } from '@portal/contract/roles.ts'
import { type ReactNode, useSyncExternalStore } from 'react'
import { onRoleChange, readRole } from '../api/role.ts'

/**
 * Whether the person's role reaches `least`. While the role is unknown, everything is shown, because the server refuses
 * what the role may not do.
 */
export function useMay(least: Role): boolean {
  const role = useSyncExternalStore(onRoleChange, readRole)
  return role === null || reaches(role, least)
}

/** Hides the content from a role that may not use it (D61). */
export function May({ least, children }: { least: Role; children: ReactNode }) {
  return useMay(least) ? <>{children}</> : null
}
