import { askAnOwner, ROLE_HEADER, type Role, reaches } from '@portal/contract/roles.ts'
import type { FastifyReply } from 'fastify'
import { Forbidden } from '../errors.ts'
import type { KeyCaller, SessionCaller } from './authenticate.ts'

/**
 * A person's role must be high enough for the route (D61). The answer names the role, so an app learns of a changed
 * role with its next call. An API key has no role: it can call what the contract lets keys call.
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
