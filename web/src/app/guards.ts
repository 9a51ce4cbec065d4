import { type Role, reaches } from '@portal/contract/roles.ts'
import { type ParsedLocation, redirect } from '@tanstack/react-router'
import { readRole } from '../api/role.ts'
import { hasSignedOut, readToken } from '../api/token.ts'
import { readSeesPayments } from '../session/sees-payments.ts'
import { nextOf, onwardFrom, paths } from './paths.ts'

interface Visit {
  location: ParsedLocation
  /** `stay` means that the page is open already. */
  cause: 'preload' | 'enter' | 'stay'
}

/** A token is treated as valid until the server refuses it: waiting for an answer would delay the first page. */
export function requireSession({ location, cause }: Visit) {
  if (readToken() !== null) return
  // After a sign-out, the open page is not kept for the next person at this browser.
  const next = cause === 'stay' && hasSignedOut() ? undefined : nextOf(location)
  throw redirect({ ...paths.login, replace: true, state: { next } })
}

/** Redirects a lower role to the dashboard. For that role the page does not exist (D61). */
export function requireRole(least: Role) {
  return () => {
    const role = readRole()
    if (role !== null && !reaches(role, least)) throw toDashboard()
  }
}

/** Redirects people who see no payments to the dashboard. If that is not known yet, the server decides (D111). */
export function requirePayments() {
  if (readSeesPayments() === false) throw toDashboard()
}

export function requireNoSession({ location }: Visit) {
  if (readToken() !== null) throw redirect({ ...onwardFrom(location), replace: true })
}

export function toDashboard() {
  return redirect({ ...paths.dashboard, replace: true })
}
