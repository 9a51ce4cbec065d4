import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** The rows of the table in section 7 of the specification. Tests of the features are named after these rows. */
const SERVER = join(import.meta.dirname, '..')

const ROWS = [
  'POST /auth/signup',
  'POST /auth/login',
  'POST /auth/forgot-password',
  'POST /auth/reset-password',
  'POST /auth/logout',
  'POST /auth/verify',
  'POST /auth/refresh',
  'GET /dashboard/stats',
  'GET /dashboard/recent-activity',
  'GET /dashboard/pipeline',
  'GET /dashboard/leads',
  'POST /dashboard/leads',
  'GET /dashboard/deals',
  'GET /crm/lead/{id}',
  'GET /crm/lead/{id}/status-history',
  'GET /crm/deal/{id}',
  'GET /crm/deal/{id}/stage-history',
  'POST /crm/note/{leadId}',
  'POST /crm/note',
  'GET /crm/search',
  'POST /crm/sync',
  'POST /dashboard/sync-leads',
  'POST /dashboard/debug-sync-leads',
  'POST /dashboard/sync-deals',
  'POST /dashboard/sync-deal/{id}',
  'GET /profile',
  'PUT /profile',
  'PUT /profile/password',
]

test.each(ROWS)('%s of section 7 has a test named after it', (row) => {
  const files = globSync('features/*/*.routes.test.ts', { cwd: SERVER })
  const texts = files.map((file) => readFileSync(join(SERVER, file), 'utf8'))
  expect(texts.some((text) => text.includes(`test('${row} `) || text.includes(`])('${row} `))).toBe(true)
})
