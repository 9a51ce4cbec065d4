import { askAnOwner, ROLE_HEADER, type Role, reaches } from '@portal/contract/roles.ts'
import type { FastifyReply } from 'fastify'
import { Forbidden } from '../errors.ts'
import type { KeyCaller, SessionCaller } from './authenticate.ts'

/**
 * Refuses a person whose role is too low for the route (D61). A header of the answer names the role, so that the app
 * notices a changed role on its next call. An API key has no role, but rights (`require-right`).
 */
export function requireRole(
  caller: SessionCaller | KeyCaller | null,
  least: Role | undefined,
  reply: FastifyReply,
): void {
  if (!caller || !('role' in caller)) return
  reply.header(ROLE_HEADER, caller.role)
  if (least !== undefined && !reaches(caller.role, least))
    throw new Forbidden('NOT_ALLOWED', askAnOwner(caller.businessName))
}
