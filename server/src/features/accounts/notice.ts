import { ACCESS_KINDS } from '@portal/contract/access.ts'
import { RoleField } from '@portal/contract/role-field.ts'
import * as z from 'zod/mini'

/** A part of `AccessItem`. */
const NoticedAccess = z.object({ kind: z.enum(ACCESS_KINDS), name: z.string(), added_at: z.string() })
export type NoticedAccess = z.infer<typeof NoticedAccess>
const TeamNews = z.object({ name: z.string(), email: z.string(), role: RoleField })
export type TeamNews = z.infer<typeof TeamNews>

/** What the person is told by mail, because somebody else may have done it (D65, D66). */
export const Notice = z.object({
  what: z.enum([
    'signed-in-elsewhere',
    'password-changed',
    'password-reset',
    'api-key-made',
    'api-key-revoked',
    'webhook-url-set',
    'webhook-url-removed',
    'webhook-secret-made',
    'second-factor-added',
    'second-factor-removed',
    'second-factor-reset',
    'recovery-code-used',
    'recovery-codes-made',
    'owner-invited',
    'person-joined',
    'role-changed',
    'email-change-asked',
  ]),
  at: z.string(),
  /** For a sign-in: the names of the browser and its operating system, and the IP address. */
  from: z.optional(z.object({ browser: z.nullable(z.string()), ip: z.string() })),
  /** For a new password: what it removed, and what can still get in. Jobs of version 0.2 have another form. */
  access: z.catch(z.optional(z.object({ removed: z.array(NoticedAccess), left: z.array(NoticedAccess) })), undefined),
  /** For a change in the team: the person it is about. */
  about: z.optional(TeamNews),
  /** For an API key with a name: the name. */
  key: z.optional(z.string()),
})
export type Notice = z.infer<typeof Notice>
