import type { Route } from '@portal/contract/route.ts'
import { Forbidden } from '../errors.ts'
import type { KeyCaller, SessionCaller } from './authenticate.ts'

/** A person who must have a second factor but has none can only set one up (D66). */
export function requireSecondFactor(
  caller: SessionCaller | KeyCaller | null,
  { beforeSecondFactor }: Pick<Route, 'beforeSecondFactor'>,
): void {
  if (beforeSecondFactor || !caller || !('mustSetUpSecondFactor' in caller) || !caller.mustSetUpSecondFactor) return
  throw new Forbidden('SECOND_FACTOR_REQUIRED', `${caller.businessName} asks for a second factor. Set one up to go on.`)
}
