import { type Role, reaches } from '@portal/contract/roles.ts'
import { redirect } from '@tanstack/react-router'
import { readRole } from '../api/role.ts'
import { readToken } from '../api/token.ts'
import { paths } from './paths.ts'

/** A token counts until the server refuses it: waiting for its word would delay every first page. */
export function requireSession() {
  if (readToken() === null) throw redirect({ ...paths.login, replace: true })
}

/** A page that does what a role may not do is not there for it (D61). */
export function requireRole(least: Role) {
  return () => {
    const role = readRole()
    if (role !== null && !reaches(role, least)) throw toDashboard()
  }
}

export function requireNoSession() {
  if (readToken() !== null) throw toDashboard()
}

export function toDashboard() {
  return redirect({ ...paths.dashboard, replace: true })
}
