import * as z from 'zod/mini'
import { Nothing } from './answer.ts'
import { defineRoute } from './route.ts'
import { Email } from './text.ts'

const LinkToken = z.object({
  token: z.string({ error: 'Token is required' }).check(z.minLength(1, 'Token is required')),
})

export const EmailChange = z.object({ email: Email })
export type EmailChange = z.infer<typeof EmailChange>

export const changeEmail = defineRoute({
  method: 'PUT',
  path: '/account/email',
  auth: 'session',
  least: 'viewer',
  asksAgain: true,
  body: EmailChange,
  answer: Nothing,
  summary: 'Mails a link to the new address; the address changes when the link is opened.',
})

export const confirmNewEmail = defineRoute({
  method: 'POST',
  path: '/auth/confirm-email',
  auth: 'none',
  body: LinkToken,
  /** `already` is true if the link had changed the address before. */
  answer: z.object({ email: z.string(), already: z.boolean() }),
  summary: 'Changes the email address with the token from the email, and informs the old address by email.',
})

export const undoNewEmail = defineRoute({
  method: 'POST',
  path: '/auth/undo-email',
  auth: 'none',
  body: LinkToken,
  answer: z.object({ email: z.string() }),
  summary:
    'Undoes a change of the last 72 hours and any later ones, removes second factors added since then, ends all sessions, disables the password and sends a reset link by email.',
})
