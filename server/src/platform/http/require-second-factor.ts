import type { Route } from '@portal/contract/route.ts'
import { Forbidden } from '../errors.ts'
import type { KeyCaller, SessionCaller } from './authenticate.ts'

/** Refuses a person who must still set up a second factor, except on routes that are open before that (D66). */
export function requireSecondFactor(
  caller: SessionCaller | KeyCaller | null,
  { beforeSecondFactor }: Pick<Route, 'beforeSecondFactor'>,
): void {
  if (beforeSecondFactor || !caller || !('mustSetUpSecondFactor' in caller) || !caller.mustSetUpSecondFactor) return
  throw new Forbidden(
    'SECOND_FACTOR_REQUIRED',
    `${caller.businessName} asks for a second factor. Set one up to continue.`,
  )
}
