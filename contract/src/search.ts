import * as z from 'zod/mini'
import { pagingQuery } from './answer.ts'
import { Deal } from './deals.ts'
import { Lead } from './leads.ts'
import { SEARCH_LENGTH_MAX, SEARCH_RESULTS_MAX } from './limits.ts'
import { defineRoute } from './route.ts'
import { requiredText } from './text.ts'

export const SearchQuery = z.object({
  ...pagingQuery({ default: SEARCH_RESULTS_MAX, max: SEARCH_RESULTS_MAX }),
  q: requiredText('Search text', SEARCH_LENGTH_MAX),
  /** If this is absent or `all`, both leads and deals are searched. */
  type: z.optional(z.enum(['leads', 'deals', 'all', 'lead', 'deal'], { error: 'type must be leads, deals or all' })),
})
export type SearchQuery = z.output<typeof SearchQuery>

/** In search results, a deal's contact is in the field `contact_person` (section 3). */
export const FoundDeal = z.object({ ...Deal.shape, contact_person: z.nullable(z.string()) })
export type FoundDeal = z.infer<typeof FoundDeal>

export const search = defineRoute({
  method: 'GET',
  path: '/crm/search',
  auth: 'session',
  least: 'viewer',
  query: SearchQuery,
  answer: z.object({
    leads: z.array(Lead),
    deals: z.array(FoundDeal),
    /** The number of leads that match. If more than SEARCH_TOTAL_MAX match, it is SEARCH_TOTAL_MAX + 1 (D55). */
    total_leads: z.number(),
    total_deals: z.number(),
  }),
  summary:
    'Leads and deals that contain every word of the search text, newest first, at most 50 of each per page. Each total is exact up to 1,000; 1,001 means that there are more.',
})
