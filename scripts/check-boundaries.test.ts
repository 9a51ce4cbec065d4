import { expect, test } from 'vitest'
import { findBoundaryCrossing } from './check-boundaries.ts'

test.each([
  ['contract/src/leads.ts', 'zod'],
  ['contract/src/spelling.ts', 'fastest-levenshtein'],
  ['contract/src/leads.ts', './paging.ts'],
  ['contract/src/phone.test.ts', 'vitest'],
  ['crm-sandbox/src/store.ts', 'node:fs'],
  ['server/src/features/leads/submit-lead.ts', '../accounts/accounts.queries.ts'],
  ['server/src/features/leads/submit-lead.ts', '../../events/events.ts'],
  ['server/src/features/leads/submit-lead.ts', '../../deps.ts'],
  ['server/src/features/leads/submit-lead.ts', '@portal/contract/leads.ts'],
  ['server/src/features/leads/leads.routes.ts', '../notes/notes.queries.ts'],
  ['server/src/features/sync/sync-deals.ts', '../deals/apply-crm-deal.ts'],
  ['server/src/push/push-partner.job.ts', '../jobs/define-job.ts'],
  ['server/src/app.ts', './features/leads/leads.routes.ts'],
  ['server/src/http/mount.test.ts', '../testing/start-portal.ts'],
  ['web/src/features/leads/lead-list-page.tsx', '../../ui/table.tsx'],
  ['web/src/features/leads/lead-list-page.tsx', './lead-table.tsx'],
  ['web/src/features/leads/lead-page.tsx', '../notes/note-list.tsx'],
  ['web/src/app/routes.tsx', '../features/leads/lead-list-page.tsx'],
  ['web/src/ui/money-field.tsx', '../format/money.ts'],
  ['e2e/leads.spec.ts', '@playwright/test'],
])('%s may import %s', (file, specifier) => {
  expect(findBoundaryCrossing(file, specifier)).toBeUndefined()
})

test.each([
  ['contract/src/leads.ts', 'node:crypto'],
  ['contract/src/leads.ts', 'fastify'],
  ['contract/src/phone.ts', 'libphonenumber-js/core'],
  ['contract/src/leads.ts', '../../server/src/config.ts'],
  ['contract/src/phone.test.ts', '../../server/src/config.ts'],
  ['crm-sandbox/src/store.ts', '@portal/contract/loid.ts'],
  ['crm-sandbox/src/store.ts', '../../server/src/db/database.ts'],
  ['server/src/main.ts', '../../crm-sandbox/src/main.ts'],
  ['server/src/http/mount.test.ts', '../../../crm-sandbox/src/store.ts'],
  ['server/src/features/leads/submit-lead.ts', '../deals/deals.queries.ts'],
  ['server/src/features/leads/submit-lead.ts', '../sync/start-sync.ts'],
  ['server/src/features/leads/submit-lead.ts', './leads.routes.ts'],
  ['server/src/features/sync/start-sync.ts', '../leads/leads.routes.ts'],
  ['server/src/features/dashboard/dashboard.queries.ts', '../leads/leads.queries.ts'],
  ['server/src/features/leads/leads.routes.ts', '../../testing/start-portal.ts'],
  ['server/src/features/leads/leads.queries.ts', '../../app.ts'],
  ['server/src/http/authenticate.ts', '../features/accounts/sessions.ts'],
  ['server/src/zoho/client.ts', '../events/events.ts'],
  ['server/src/jobs/define-job.ts', '../zoho/crm.ts'],
  ['server/src/events/events.ts', '../jobs/define-job.ts'],
  ['server/src/local/local-servers.ts', '../db/database.ts'],
  ['web/src/api/call.ts', '../session/keep-session.ts'],
  ['web/src/features/leads/lead-list-page.tsx', '../deals/deal-table.tsx'],
  ['web/src/features/leads/lead-table.tsx', './lead-list-page.tsx'],
  ['web/src/features/leads/lead-page.tsx', '../../app/routes.tsx'],
  ['web/src/ui/button.tsx', '../api/call.ts'],
  ['web/src/ui/badge.tsx', '@portal/contract/leads.ts'],
  ['web/src/api/call.ts', '../features/leads/leads.queries.ts'],
  ['web/src/app/app.tsx', '../../../server/src/config.ts'],
  ['web/src/testing/server.ts', '../../../server/src/config.ts'],
])('%s must not import %s', (file, specifier) => {
  expect(findBoundaryCrossing(file, specifier)).toMatch(`${file} imports ${specifier}: `)
})
