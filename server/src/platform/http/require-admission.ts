import { type KeyRight, rightsText } from '@portal/contract/key-rights.ts'
import { askForRight } from '@portal/contract/person-rights.ts'
import { askAnOwner, ROLE_HEADER, reaches } from '@portal/contract/roles.ts'
import type { Route } from '@portal/contract/route.ts'
import type { FastifyReply } from 'fastify'
import { Forbidden } from '../errors.ts'
import type { KeyCaller, SessionCaller } from './authenticate.ts'

/**
 * Refuses a caller that lacks what the route asks for: of a person the role (D61), of an API key the right, a right
 * that only people can have (D111), and a second factor where the partner requires one (D66). A header of the answer
 * names the role, so that the app notices a changed role on its next call.
 */
export function requireAdmission(
  caller: SessionCaller | KeyCaller | null,
  { least, right, personRight, beforeSecondFactor }: Route,
  reply: FastifyReply,
): void {
  if (!caller) return
  const { businessName } = caller
  if ('role' in caller) {
    reply.header(ROLE_HEADER, caller.role)
    if (least !== undefined && !reaches(caller.role, least))
      throw new Forbidden('NOT_ALLOWED', askAnOwner(businessName))
  }
  requireRight(caller, right)
  const personRights = 'personRights' in caller ? caller.personRights : []
  if (personRight !== undefined && !personRights.includes(personRight)) {
    throw new Forbidden('NOT_ALLOWED', askForRight(businessName))
  }
  if (!beforeSecondFactor && 'mustSetUpSecondFactor' in caller && caller.mustSetUpSecondFactor) {
    const text = `${businessName} asks for a second factor. Set one up to continue.`
    throw new Forbidden('SECOND_FACTOR_REQUIRED', text)
  }
}

/** Refuses an API key that lacks the right (D84). Sessions have roles instead. */
export function requireRight(caller: SessionCaller | KeyCaller, right: KeyRight | 'any' | undefined): void {
  if (!('rights' in caller) || right === undefined || right === 'any' || caller.rights.includes(right)) return
  const text = `This API key ${rightsText(caller.rights)} only. An owner can make one that ${rightsText([right])}.`
  throw new Forbidden('NOT_ALLOWED', text)
}

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
