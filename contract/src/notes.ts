import * as z from 'zod/mini'
import { Instant } from './dates.ts'
import { CHOICE_LENGTH_MAX } from './limits.ts'
import { NoteContent } from './note-form.ts'
import { defineRoute } from './route.ts'
import { SubmittedBy } from './submitted-by.ts'
import { optionalText } from './text.ts'

const NoteCrmState = z.enum(['pending', 'synced', 'failed'])

export const Note = z.object({
  id: z.string(),
  title: z.nullable(z.string()),
  content: z.string(),
  /** 'System' if the CRM names no author (section 3). */
  created_by: z.string(),
  ...SubmittedBy,
  created_at: Instant,
  crm: NoteCrmState,
  /** Why the note is not in the CRM, once the portal has stopped trying to push it. */
  crm_problem: z.nullable(z.string()),
})
export type Note = z.infer<typeof Note>

export const addLeadNote = defineRoute({
  method: 'POST',
  path: '/crm/note/:leadId',
  auth: 'session',
  least: 'member',
  body: z.object({ content: NoteContent }),
  answer: z.object({ note: Note }),
  status: 201,
  creates: true,
  summary: 'Adds a note to a lead, or to the deal that the lead has become.',
})

export const addNote = defineRoute({
  method: 'POST',
  path: '/crm/note',
  auth: 'session',
  least: 'member',
  body: z.object({
    loid: z.string({ error: 'LOID is required' }).check(z.minLength(1, 'LOID is required'), z.maxLength(64)),
    parent_type: optionalText('Parent type', CHOICE_LENGTH_MAX),
    title: optionalText('Title', CHOICE_LENGTH_MAX),
    content: NoteContent,
  }),
  answer: z.object({ note: Note }),
  status: 201,
  creates: true,
  summary: 'Adds a note to a deal if parent_type is deal, otherwise to a lead or to the deal that the lead has become.',
})

export const retryNotePush = defineRoute({
  method: 'POST',
  path: '/crm/note/:id/retry-push',
  auth: 'session',
  least: 'member',
  answer: z.object({ id: z.string(), crm: NoteCrmState }),
  status: 202,
  summary: 'Sends a note to the CRM again after the portal gave up.',
})
