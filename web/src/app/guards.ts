import { type Role, reaches } from '@portal/contract/roles.ts'
import { readRole } from '../api/role.ts'
import { hasSignedOut, readToken } from '../api/token.ts'
import type { Destination } from '../router/address.ts'
import type { Guard, Visit } from '../router/router.ts'
import { readSeesPayments } from '../session/sees-payments.ts'
import { nextOf, onwardFrom, paths } from './paths.ts'

/** A token is treated as valid until the server refuses it: waiting for an answer would delay the first page. */
export function requireSession({ location, isOpen }: Visit): Destination | undefined {
  if (readToken() !== null) return undefined
  // After a sign-out, the open page is not kept for the next person at this browser.
  const next = isOpen && hasSignedOut() ? undefined : nextOf(location)
  return { ...paths.login, state: { next } }
}

/** Redirects a lower role to the dashboard. For that role the page does not exist (D61). */
export function requireRole(least: Role): Guard {
  return () => {
    const role = readRole()
    return role !== null && !reaches(role, least) ? toDashboard() : undefined
  }
}

/** Redirects people who see no payments to the dashboard. If that is not known yet, the server decides (D111). */
export function requirePayments(): Destination | undefined {
  return readSeesPayments() === false ? toDashboard() : undefined
}

export function requireNoSession({ location }: Visit): Destination | undefined {
  return readToken() === null ? undefined : onwardFrom(location)
}

export function toDashboard(): Destination {
  return paths.dashboard
}
