import * as z from 'zod/mini'
import { Deal } from './deals.ts'
import { Lead } from './leads.ts'
import { SEARCH_LENGTH_MAX } from './limits.ts'
import { defineRoute } from './route.ts'
import { requiredText } from './text.ts'

export const SearchQuery = z.strictObject({
  q: requiredText('Search text', SEARCH_LENGTH_MAX),
  type: z.optional(z.enum(['leads', 'deals'], { error: 'type must be leads or deals' })),
})
export type SearchQuery = z.output<typeof SearchQuery>

/** Search results name a deal's contact `contact_person` (section 3). */
export const FoundDeal = z.object({ ...Deal.shape, contact_person: z.nullable(z.string()) })
export type FoundDeal = z.infer<typeof FoundDeal>

export const search = defineRoute({
  method: 'GET',
  path: '/crm/search',
  auth: 'session',
  query: SearchQuery,
  answer: z.object({
    leads: z.array(Lead),
    deals: z.array(FoundDeal),
    /** How many match, counted up to SEARCH_TOTAL_MAX. */
    total_leads: z.number(),
    total_deals: z.number(),
  }),
  summary: 'Leads and deals in which every word occurs, newest first, at most 50 of each; counted up to 1,000.',
})
