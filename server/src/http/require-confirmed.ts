import type { Route } from '@portal/contract/route.ts'
import { Forbidden } from '../errors.ts'
import type { KeyCaller, SessionCaller } from './authenticate.ts'

/** What the accounts feature knows about a session. */
export interface Confirmation {
  /** The person gave a password or passkey within the last 15 minutes. */
  isRecent: boolean
  hasSecondFactor: boolean
}

export type FindConfirmation = (caller: SessionCaller) => Promise<Confirmation>

/**
 * Refuses the call if the route asks for the password again and the session has no recent confirmation (D66). Some
 * routes ask only people with a second factor. The session is looked up each time, because another process may have
 * just confirmed it.
 */
export async function requireConfirmed(
  caller: SessionCaller | KeyCaller | null,
  { asksAgain }: Pick<Route, 'asksAgain'>,
  find: FindConfirmation,
): Promise<void> {
  if (asksAgain === undefined || !caller || !('personId' in caller)) return
  const { isRecent, hasSecondFactor } = await find(caller)
  if (isRecent || (asksAgain === 'with-second-factor' && !hasSecondFactor)) return
  throw new Forbidden('CONFIRM_PASSWORD', 'Enter your password again to continue.')
}
