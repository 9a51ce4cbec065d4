import * as z from 'zod/mini'
import { Activity } from './dashboard.ts'
import { filterDays } from './dates.ts'
import { RECORD_EVENT_TYPES } from './event-types.ts'
import { defineRoute } from './route.ts'
import { filterPerson } from './submitted-by.ts'

/** The name that the filter shows for each type of event. */
export const ACTIVITY_TYPE_NAMES: Record<(typeof RECORD_EVENT_TYPES)[number], string> = {
  'lead.created': 'Lead created',
  'lead.status_changed': 'Lead status',
  'lead.verdict_changed': 'Lender’s verdict',
  'lead.corrected': 'Lead corrected',
  'lead.withdrawn': 'Lead withdrawn',
  'lead.converted': 'Lead converted',
  'lead.removed': 'Lead removed',
  'lead.restored': 'Lead restored',
  'deal.created': 'Deal created',
  'deal.stage_changed': 'Deal stage',
  'deal.updated': 'Deal updated',
  'deal.paid': 'Commission paid',
  'deal.removed': 'Deal removed',
  'deal.restored': 'Deal restored',
  'note.added': 'Note',
  'request.opened': 'Request by the lender',
  'request.answered': 'Request answered',
  'request.accepted': 'Request accepted',
  'request.reopened': 'Request asked again',
  'request.withdrawn': 'Request withdrawn',
  'document.added': 'Document',
}

/** The filter by actor accepts these values besides `me` and people's ids. */
export const ACTORS = { lender: 'The lender', 'api-key': 'API key' } as const

export const ActivityFilters = z.object({
  /** `next_cursor` of the previous answer. */
  cursor: z.optional(z.guid('cursor must be an id')),
  type: z.optional(z.enum(RECORD_EVENT_TYPES, `type must be one of: ${RECORD_EVENT_TYPES.join(', ')}`)),
  /** A person's id, `me`, `lender` or `api-key`. */
  person: filterPerson(),
  ...filterDays(),
})
export type ActivityFilters = z.output<typeof ActivityFilters>

export const ActivityEntry = z.extend(Activity, {
  /**
   * Who caused the event: a person's name, 'The lender', or 'API key'. Null if the portal did not record it.
   */
  by: z.nullable(z.string()),
  /** True if the caller has not seen the entry yet and did not cause it. */
  is_new: z.boolean(),
})
export type ActivityEntry = z.infer<typeof ActivityEntry>

export const readActivity = defineRoute({
  method: 'GET',
  path: '/activity',
  auth: 'session',
  least: 'viewer',
  query: ActivityFilters,
  answer: z.object({ activities: z.array(ActivityEntry), next_cursor: z.nullable(z.string()) }),
  summary: 'What happened to the partner’s leads and deals, newest first.',
})
