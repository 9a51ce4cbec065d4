import { timelineOf } from './records.ts'
import { data, serve } from './server.ts'

type Handlers = Parameters<typeof serve>[0]

/** Answers as to a signed-in partner; what every page of theirs asks is answered already. */
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
    'GET /crm/lead-statuses': () => ({ body: data({ statuses: ['New Lead', 'Contacted'] }) }),
    'GET /crm/stages': () => ({ body: data({ stages: ['Approved', 'Funded'] }) }),
    'GET /crm/lead/LO-7K3M9QAZ/timeline': () => ({ body: data(timelineOf()) }),
    'GET /crm/deal/LO-7K3M9QAZ/timeline': () => ({ body: data(timelineOf()) }),
    ...handlers,
  })
}

export function paged(value: unknown, page = 1, hasMore = false) {
  return { ...data(value), pagination: { page, limit: 20, has_more: hasMore } }
}
