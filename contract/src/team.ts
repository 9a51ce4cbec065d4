import * as z from 'zod/mini'
import { newPassword } from './account-forms.ts'
import { BegunSession } from './accounts.ts'
import { Nothing } from './answer.ts'
import { Instant } from './dates.ts'
import { NewInvitation } from './invitation-form.ts'
import { RoleField } from './role-field.ts'
import { defineRoute } from './route.ts'

export const INVITATION_VALID_DAYS = 7
export const INVALID_INVITATION =
  'This invitation is no longer valid. If you have accepted it, sign in. Otherwise ask an owner of the business, or the lender that invited you, to send you a new one.'

export const TeamPerson = z.object({
  id: z.string(),
  email: z.string(),
  first_name: z.nullable(z.string()),
  last_name: z.nullable(z.string()),
  role: RoleField,
  /** Whether the person sees payments (D111). Nobody does while the lender's CRM has none. */
  sees_money: z.boolean(),
  is_active: z.boolean(),
  /** The time of the person's last call, to the minute. Null before the first call. */
  last_seen_at: z.nullable(Instant),
  has_second_factor: z.boolean(),
  /** The business's API key and webhook URL, if this person made the key or saved the URL. Both outlast the person. */
  made_api_key: z.nullable(z.string()),
  made_api_key_at: z.nullable(Instant),
  /** The names of other keys that the person made. */
  made_named_keys: z.array(z.string()),
  made_webhook_url: z.nullable(z.string()),
  /** Whether this person made the webhook's present signing secret, which was shown to them. */
  made_webhook_secret: z.boolean(),
})
export type TeamPerson = z.infer<typeof TeamPerson>

export const Invitation = z.object({
  id: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.nullable(z.string()),
  role: RoleField,
  created_at: Instant,
  /** When the newest link expires. The seven days begin again when the link is mailed. */
  expires_at: z.nullable(Instant),
})
export type Invitation = z.infer<typeof Invitation>

/** An absent field stays unchanged. */
export const PersonChange = z.object({
  role: z.optional(RoleField),
  is_active: z.optional(z.boolean({ error: 'is_active must be true or false' })),
  sees_money: z.optional(z.boolean({ error: 'sees_money must be true or false' })),
})
export type PersonChange = z.infer<typeof PersonChange>

const InvitationToken = z
  .string({ error: INVALID_INVITATION })
  .check(z.minLength(1, INVALID_INVITATION), z.maxLength(200, INVALID_INVITATION))

export const AcceptInvitation = z.object({
  token: InvitationToken,
  password: newPassword('Password is required'),
})
export type AcceptInvitation = z.infer<typeof AcceptInvitation>

export const readTeam = defineRoute({
  method: 'GET',
  path: '/team',
  auth: 'session',
  least: 'owner',
  answer: z.object({ people: z.array(TeamPerson), invitations: z.array(Invitation) }),
  summary: 'The people of the business, and the open invitations.',
})

export const invitePerson = defineRoute({
  method: 'POST',
  path: '/team/invitations',
  auth: 'session',
  least: 'owner',
  asksAgain: true,
  body: NewInvitation,
  answer: Invitation,
  status: 201,
  creates: true,
  summary: 'Invites a person by email. This replaces an earlier invitation to the same address.',
})

export const sendInvitation = defineRoute({
  method: 'POST',
  path: '/team/invitations/:id/send',
  auth: 'session',
  least: 'owner',
  asksAgain: true,
  answer: Nothing,
  summary: 'Mails the invitation again, with a new link. The older link stops working.',
})

export const revokeInvitation = defineRoute({
  method: 'DELETE',
  path: '/team/invitations/:id',
  auth: 'session',
  least: 'owner',
  asksAgain: true,
  answer: Nothing,
  summary: 'Ends an invitation.',
})

export const changePerson = defineRoute({
  method: 'PUT',
  path: '/team/people/:id',
  auth: 'session',
  least: 'owner',
  asksAgain: true,
  body: PersonChange,
  answer: TeamPerson,
  summary:
    'Changes a person’s role or right to see payments, or ends or restores their access. A person who is no longer an owner loses the right, unless the call gives it. The sessions of a deactivated person end, and so do the open invitations of a person who is no longer an active owner.',
})

/** The token travels in the body, because proxies log addresses. */
export const readInvitation = defineRoute({
  method: 'POST',
  path: '/auth/invitation',
  auth: 'none',
  body: z.object({ token: InvitationToken }),
  answer: z.object({ businessName: z.string(), email: z.string(), firstName: z.nullable(z.string()) }),
  summary: 'The business, email address and first name of an invitation, found by the token in the mailed link.',
})

export const acceptInvitation = defineRoute({
  method: 'POST',
  path: '/auth/accept-invitation',
  auth: 'none',
  body: AcceptInvitation,
  answer: BegunSession,
  envelope: 'bare',
  summary:
    'Makes the invited person’s account, and for the lender’s invitation the business too, and starts a session of 24 hours; the address counts as confirmed.',
})
