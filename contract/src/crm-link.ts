import * as z from 'zod/mini'
import { Hold } from './holds.ts'
import { RoleField } from './role-field.ts'
import { defineRoute } from './route.ts'

export const CrmLink = z.object({
  hold: z.nullable(Hold),
  /** Whether the caller is the person whose address the CRM's record has, so that the link is theirs to confirm. */
  may_confirm: z.boolean(),
  /** How many leads and deals the CRM's record has, for the person who may confirm the link; otherwise null. */
  records: z.nullable(z.number()),
  /** Everybody who will see these records. */
  people: z.array(z.object({ name: z.string(), email: z.string(), role: RoleField })),
})
export type CrmLink = z.infer<typeof CrmLink>

export const readCrmLink = defineRoute({
  method: 'GET',
  path: '/account/crm-link',
  auth: 'session',
  least: 'owner',
  answer: CrmLink,
  summary: 'Why the business is not connected with its records in the CRM, and who will see these records.',
})

export const confirmCrmLink = defineRoute({
  method: 'POST',
  path: '/account/crm-link',
  auth: 'session',
  least: 'owner',
  asksAgain: true,
  answer: CrmLink,
  summary:
    'Connects a business of several people with its records in the CRM. Only the person whose address it is can.',
})
