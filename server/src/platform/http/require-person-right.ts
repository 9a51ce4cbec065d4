import { askForRight, type PersonRight } from '@portal/contract/person-rights.ts'
import { Forbidden } from '../errors.ts'
import type { KeyCaller, SessionCaller } from './authenticate.ts'

/** Refuses a person without the right that the route needs besides the role (D111). An API key is never such a person. */
export function requirePersonRight(caller: SessionCaller | KeyCaller | null, right: PersonRight | undefined): void {
  if (right === undefined || !caller) return
  if (!('personRights' in caller) || !caller.personRights.includes(right)) {
    throw new Forbidden('NOT_ALLOWED', askForRight(caller.businessName))
  }
}
