import { Forbidden } from '../errors.ts'
import type { KeyCaller, SessionCaller } from './authenticate.ts'

/** Whether the person confirmed within the last 15 minutes, in this session, who they are. */
export type FindConfirmation = (caller: SessionCaller) => Promise<boolean>

/**
 * Refuses the call if the session has no recent confirmation (D66). The session is looked up each time, because another
 * process may have just confirmed it.
 */
export async function requireConfirmed(
  caller: SessionCaller | KeyCaller | null,
  isConfirmed: FindConfirmation,
): Promise<void> {
  if (!caller || !('personId' in caller) || (await isConfirmed(caller))) return
  throw new Forbidden('CONFIRM_PASSWORD', 'Confirm that it is you to continue.')
}
