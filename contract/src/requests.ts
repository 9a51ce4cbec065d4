import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { NoteContent } from './note-form.ts'
import { Note } from './notes.ts'
import { defineRoute } from './route.ts'

/** What has become of something that the lender asks (D105). */
export const REQUEST_STATES = ['asked', 'sent', 'accepted', 'again', 'withdrawn'] as const
export type RequestState = (typeof REQUEST_STATES)[number]

/** Something that the lender still asks about a lead or deal: a task in the CRM. */
export const Request = z.object({
  id: z.string(),
  /** What the lender asks. */
  subject: z.string(),
  /** Why, or why again. */
  reason: z.nullable(z.string()),
  /** YYYY-MM-DD */
  due_on: z.nullable(z.string()),
  state: z.enum(REQUEST_STATES),
  asked_at: Instant,
  answered_at: z.nullable(Instant),
})
export type Request = z.infer<typeof Request>

/** Whether the partner is to answer. */
export function needsAnswer({ state }: { state: RequestState }): boolean {
  return state === 'asked' || state === 'again'
}

export const answerRequest = defineRoute({
  method: 'POST',
  path: '/crm/request/:id/answer',
  auth: 'session',
  least: 'member',
  body: z.object({ content: NoteContent }),
  answer: z.object({ note: Note }),
  status: 201,
  creates: true,
  summary: 'Answers what the lender asks, with a note that names the request.',
})
