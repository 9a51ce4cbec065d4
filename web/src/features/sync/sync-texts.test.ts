import { expect, test } from 'vitest'
import { Failure } from '../../api/failure.ts'
import { syncCompleteText, syncFailureText } from './sync-texts.ts'

const LEADS = { total_zoho_leads: 0, created: 0, updated: 0, converted: 0, skipped: 0, removed: 0, problems: [] }
const DEALS = {
  total_zoho_deals: 0,
  created: 0,
  updated: 0,
  matching_leads_removed: 0,
  skipped: 0,
  removed: 0,
  problems: [],
}

test.each([
  [LEADS, 'Sync complete: everything is up to date'],
  [{ ...LEADS, created: 1_200, removed: 2 }, 'Sync complete: 1,200 created, 2 removed'],
  [{ ...DEALS, updated: 1, matching_leads_removed: 1 }, 'Sync complete: 1 updated, 1 matching lead removed'],
  [
    { leads: { ...LEADS, created: 1, converted: 1 }, deals: { ...DEALS, created: 2 } },
    'Sync complete: 3 created, 1 converted',
  ],
])('the result %o has the text: %s', (result, text) => {
  expect(syncCompleteText(result)).toBe(text)
})

test.each([
  [502, 'The CRM does not answer', 'Sync failed: The CRM does not answer'],
  [500, 'Lead sync failed', 'Sync failed: Unknown error'],
  [0, 'No internet connection.', 'Sync failed: Network error'],
])('a sync that failed with status %i and the error “%s” is reported as: %s', (status, message, text) => {
  expect(syncFailureText(new Failure(status, message, { code: '' }))).toBe(text)
})
