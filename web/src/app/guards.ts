import { redirect } from '@tanstack/react-router'
import { readToken } from '../api/token.ts'
import { paths } from './paths.ts'

/** A token counts until the server refuses it: waiting for its word would delay every first page. */
export function requireSession() {
  if (readToken() === null) throw redirect({ ...paths.login, replace: true })
}

export function requireNoSession() {
  if (readToken() !== null) throw toDashboard()
}

export function toDashboard() {
  return redirect({ ...paths.dashboard, replace: true })
}
