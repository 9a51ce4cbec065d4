import { timelineOf } from './records.ts'
import { data, serve } from './server.ts'

type Handlers = Parameters<typeof serve>[0]

export const NO_NEWS = {
  until: '2026-11-20T00:00:00.000Z',
  snapshot: '10:10:',
  lines: [],
  total: 0,
  is_least: false,
  leads: 0,
  deals: 0,
  loids: [],
}

/** An inbox without news and without items that need attention. */
export const QUIET_INBOX = {
  'GET /dashboard/news': () => ({ body: data(NO_NEWS) }),
  'GET /dashboard/attention': () => ({ body: data({ items: [], total: 0, is_least: false, knows_usual_times: true }) }),
}

/** Signs a person in, and answers the requests of the person's pages, including those that every page makes. */
export function serveSignedIn(handlers: Handlers) {
  localStorage.setItem('auth_token', 'token-1')
  return serve({
    'POST /auth/verify': () => ({
      body: data({
        partnerId: 'p1',
        businessName: 'Harbour Finance',
        partnerEmail: 'demo@harbour.example',
        personId: 'h1',
      }),
    }),
    ...QUIET_INBOX,
    'GET /crm/lead-statuses': () => ({ body: data({ statuses: ['New Lead', 'Contacted'] }) }),
    'GET /crm/stages': () => ({ body: data({ stages: ['Approved', 'Funded'] }) }),
    'GET /crm/lead/LO-7K3M9QAZ/timeline': () => ({ body: data(timelineOf()) }),
    'GET /crm/deal/LO-7K3M9QAZ/timeline': () => ({ body: data(timelineOf()) }),
    ...handlers,
  })
}

export function paged(value: unknown, page = 1, hasMore = false, total?: number) {
  return { ...data(value), pagination: { page, limit: 20, has_more: hasMore, total } }
}
