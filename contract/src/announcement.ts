import * as z from 'zod/mini'
import { Nothing } from './answer.ts'
import { defineRoute } from './route.ts'

/** What the lender tells all partners (D114), in Markdown. Another text has another id. */
export const Announcement = z.object({ id: z.string(), text: z.string() })
export type Announcement = z.infer<typeof Announcement>

export const putAwayAnnouncement = defineRoute({
  method: 'POST',
  path: '/account/announcement/put-away',
  auth: 'session',
  least: 'viewer',
  body: z.object({
    id: z
      .string({ error: 'The announcement’s id is required' })
      .check(
        z.minLength(1, 'The announcement’s id is required'),
        z.regex(/^[\w-]{1,100}$/, 'There is no such announcement'),
      ),
  }),
  answer: Nothing,
  summary: 'Puts the lender’s announcement away for this person. A changed announcement is shown again.',
})
