import { expect, test } from 'vitest'
import { findBoundaryCrossing, findCircle } from './check-boundaries.ts'

test.each([
  ['contract/src/leads.ts', 'zod'],
  ['contract/src/spelling.ts', 'fastest-levenshtein'],
  ['contract/src/leads.ts', './paging.ts'],
  ['contract/src/phone.test.ts', 'vitest'],
  ['crm-sandbox/src/store.ts', 'node:fs'],
  ['server/src/features/leads/submit-lead.ts', '../../records/leads/leads.queries.ts'],
  ['server/src/features/leads/submit-lead.ts', '../../crm/push/push-lead.job.ts'],
  ['server/src/features/leads/submit-lead.ts', '../../deps.ts'],
  ['server/src/features/leads/submit-lead.ts', '@portal/contract/leads.ts'],
  ['server/src/features/leads/leads.routes.ts', '../notes/notes.queries.ts'],
  ['server/src/crm/pull/run/sync-records.ts', '../../apply/apply-page.ts'],
  ['server/src/crm/push/push-partner.job.ts', '../../platform/jobs/define-job.ts'],
  ['server/src/process/app.ts', '../features/leads/leads.routes.ts'],
  ['server/src/platform/http/mount.test.ts', '../../testing/start-portal.ts'],
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
  ['contract/src/leads.ts', '../../server/src/platform/config.ts'],
  ['contract/src/phone.test.ts', '../../server/src/platform/config.ts'],
  ['crm-sandbox/src/store.ts', '@portal/contract/loid.ts'],
  ['crm-sandbox/src/store.ts', '../../server/src/platform/db/database.ts'],
  ['server/src/main.ts', '../../crm-sandbox/src/main.ts'],
  ['server/src/platform/http/mount.test.ts', '../../../../crm-sandbox/src/store.ts'],
  ['server/src/features/leads/submit-lead.ts', '../deals/list-deals.ts'],
  ['server/src/features/leads/submit-lead.ts', '../sync/debug-sync.ts'],
  ['server/src/features/leads/submit-lead.ts', './leads.routes.ts'],
  ['server/src/crm/pull/run/start-sync.ts', '../../../features/leads/leads.routes.ts'],
  ['server/src/features/dashboard/dashboard.queries.ts', '../leads/list-leads.ts'],
  ['server/src/features/leads/leads.routes.ts', '../../testing/start-portal.ts'],
  ['server/src/records/leads/leads.queries.ts', '../../process/app.ts'],
  ['server/src/platform/http/authenticate.ts', '../../features/accounts/sessions.ts'],
  ['server/src/crm/zoho/client.ts', '../../features/sync/debug-sync.ts'],
  ['server/src/platform/jobs/define-job.ts', '../../crm/zoho/crm.ts'],
  ['server/src/records/events/events.ts', '../../crm/push/push-lead.job.ts'],
  ['server/src/platform/db/database.ts', '../../records/events/events.ts'],
  ['web/src/api/call.ts', '../session/keep-session.ts'],
  ['web/src/features/leads/lead-list-page.tsx', '../deals/deal-table.tsx'],
  ['web/src/features/leads/lead-table.tsx', './lead-list-page.tsx'],
  ['web/src/features/leads/lead-page.tsx', '../../app/routes.tsx'],
  ['web/src/ui/button.tsx', '../api/call.ts'],
  ['web/src/ui/badge.tsx', '@portal/contract/leads.ts'],
  ['web/src/api/call.ts', '../features/leads/leads.queries.ts'],
  ['web/src/app/app.tsx', '../../../server/src/platform/config.ts'],
  ['web/src/testing/server.ts', '../../../server/src/platform/config.ts'],
])('%s must not import %s', (file, specifier) => {
  expect(findBoundaryCrossing(file, specifier)).toMatch(`${file} imports ${specifier}: `)
})

test('a circle of imports is found, also one that is not reached first', () => {
  const imports = new Map([
    ['a.ts', ['b.ts', 'package:zod']],
    ['b.ts', ['c.ts', 'd.ts']],
    ['c.ts', []],
    ['d.ts', ['e.ts']],
  ])
  expect(findCircle(imports)).toBeUndefined()
  expect(findCircle(new Map([...imports, ['e.ts', ['c.ts', 'b.ts']]]))).toEqual(['b.ts', 'd.ts', 'e.ts', 'b.ts'])
})
