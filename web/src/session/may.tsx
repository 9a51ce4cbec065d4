import { type Role, reaches } from '@portal/contract/roles.ts'
import { type ReactNode, useSyncExternalStore } from 'react'
import { onRoleChange, readRole } from '../api/role.ts'

/** Whether the person's role reaches `least`. Until the server has said the role, everything is shown: it refuses what must not be. */
export function useMay(least: Role): boolean {
  const role = useSyncExternalStore(onRoleChange, readRole)
  return role === null || reaches(role, least)
}

/** What a role may not do is not shown (D61). */
export function May({ least, children }: { least: Role; children: ReactNode }) {
  return useMay(least) && children
}
