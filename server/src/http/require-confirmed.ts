import type { Route } from '@portal/contract/route.ts'
import { Forbidden } from '../errors.ts'
import type { KeyCaller, SessionCaller } from './authenticate.ts'

/** What the sessions feature knows about a session. */
export interface Confirmation {
  /** The person gave a password or passkey within the last 15 minutes. */
  isRecent: boolean
  hasSecondFactor: boolean
}

export type FindConfirmation = (caller: SessionCaller) => Promise<Confirmation>

/** The route can ask for the password again (D66). Looked up each time: another process may have just confirmed it. */
export async function requireConfirmed(
  caller: SessionCaller | KeyCaller | null,
  { asksAgain }: Pick<Route, 'asksAgain'>,
  find: FindConfirmation,
): Promise<void> {
  if (asksAgain === undefined || !caller || !('personId' in caller)) return
  const { isRecent, hasSecondFactor } = await find(caller)
  if (isRecent || (asksAgain === 'with-second-factor' && !hasSecondFactor)) return
  throw new Forbidden('CONFIRM_PASSWORD', 'Enter your password again to go on.')
}
