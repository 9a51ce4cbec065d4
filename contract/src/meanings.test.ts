import { expect, test } from 'vitest'
import { DEAL_STAGES, LEAD_STATUSES } from './choices.ts'
import { type HistoryKind, INACTIVE_LEAD_STATUSES, meaningOf } from './meanings.ts'

test.each<
  [kind: HistoryKind, value: string, step: string | null, outcome: string, colour: string, side: string | null]
>([
  // The specification's statuses and stages.
  ['lead-status', 'New Lead', 'Submitted', 'open', 'primary', 'lender'],
  ['lead-status', 'Not Contacted', 'In review', 'open', 'primary', 'lender'],
  ['lead-status', 'Pre Call', 'In review', 'open', 'warning', 'lender'],
  ['lead-status', 'Contact Soon', 'In review', 'open', 'warning', 'lender'],
  ['lead-status', 'Attempting To Contact', 'In review', 'open', 'warning', 'lender'],
  ['lead-status', 'Contacted', 'In review', 'open', 'warning', 'lender'],
  ['lead-status', 'Contact in Future', 'In review', 'open', 'warning', 'lender'],
  ['lead-status', 'Unable to Contact', 'In review', 'open', 'warning', 'partner'],
  ['lead-status', 'Re-engage', 'In review', 'open', 'secondary', 'lender'],
  ['lead-status', 'Pre Qualified', 'Qualified', 'open', 'success', 'lender'],
  ['lead-status', 'Junk Lead', null, 'lost', 'error', null],
  ['lead-status', 'Test Lead', null, 'lost', 'secondary', null],
  ['lead-status', 'Lost Lead', null, 'lost', 'error', null],
  ['lead-status', 'Not Qualified', null, 'lost', 'error', null],
  ['lead-status', 'Duplicate', null, 'lost', 'error', null],
  ['deal-stage', 'Re-Engage', 'Qualified', 'open', 'secondary', 'lender'],
  ['deal-stage', 'Waiting On Application', 'Qualified', 'open', 'warning', 'lender'],
  ['deal-stage', 'Information Received', 'With the lender', 'open', 'warning', 'lender'],
  ['deal-stage', 'Consulting With Client', 'With the lender', 'open', 'warning', 'lender'],
  ['deal-stage', 'Pending Approval', 'With the lender', 'open', 'warning', 'lender'],
  ['deal-stage', 'Approved', 'With the lender', 'open', 'success', 'lender'],
  ['deal-stage', 'Consumer Or Asset Deal', 'With the lender', 'handed on', 'secondary', null],
  ['deal-stage', 'Funded', 'Funded', 'funded', 'success', null],
  ['deal-stage', 'Closed', 'Funded', 'funded', 'success', null],
  // What a lender's CRM adds.
  ['lead-status', 'Attempting to contact', 'In review', 'open', 'warning', 'lender'],
  ['lead-status', 'UNABLE TO CONTACT', 'In review', 'open', 'warning', 'partner'],
  ['lead-status', 'Could not reach applicant', 'In review', 'open', 'secondary', 'partner'],
  ['lead-status', 'Awaiting broker', 'In review', 'open', 'warning', 'partner'],
  ['lead-status', 'Second Call', 'In review', 'open', 'secondary', 'lender'],
  ['lead-status', 'Documents Requested', 'In review', 'open', 'secondary', 'lender'],
  ['lead-status', 'Contest Entry', 'In review', 'open', 'secondary', 'lender'],
  ['lead-status', 'New - Web', 'Submitted', 'open', 'secondary', 'lender'],
  ['lead-status', 'Fully Qualified', 'Qualified', 'open', 'success', 'lender'],
  ['lead-status', 'Not yet qualified', 'Qualified', 'open', 'secondary', 'lender'],
  ['lead-status', 'Not qualified (credit)', null, 'lost', 'error', null],
  ['lead-status', 'Unqualified', null, 'lost', 'error', null],
  ['lead-status', 'Dead Lead', null, 'lost', 'secondary', null],
  ['lead-status', 'Closed - Not Interested', null, 'lost', 'error', null],
  ['deal-stage', 'FUNDED - settled', 'Funded', 'funded', 'success', null],
  ['deal-stage', 'Closed Won', 'Funded', 'funded', 'success', null],
  ['deal-stage', 'Closed by lender', 'Funded', 'funded', 'success', null],
  ['deal-stage', 'Closed Lost', null, 'lost', 'error', null],
  ['deal-stage', 'Closed, withdrawn', null, 'lost', 'error', null],
  ['deal-stage', 'Not Funded', null, 'lost', 'error', null],
  ['deal-stage', 'Not Approved', null, 'lost', 'error', null],
  ['deal-stage', 'Not yet funded', 'With the lender', 'open', 'secondary', 'lender'],
  ['deal-stage', 'Deal Lost', null, 'lost', 'secondary', null],
  ['deal-stage', 'Declined by Credit', null, 'lost', 'secondary', null],
  ['deal-stage', 'Rejected By Credit', null, 'lost', 'secondary', null],
  ['deal-stage', 'Cancelled', null, 'lost', 'secondary', null],
  ['deal-stage', 'Credit Review', 'With the lender', 'open', 'secondary', 'lender'],
  ['deal-stage', 'Settlement', 'With the lender', 'open', 'secondary', 'lender'],
  ['deal-stage', 'Documents needed from partner', 'With the lender', 'open', 'secondary', 'partner'],
  ['deal-stage', 'Thrown To Kestrel Capital', 'With the lender', 'handed on', 'secondary', null],
  ['deal-stage', 'With Bluegum Finance', 'With the lender', 'handed on', 'secondary', null],
  ['deal-stage', '', 'With the lender', 'open', 'secondary', 'lender'],
])('the %s “%s”: step %s, outcome %s, colour %s, turn of %s', (kind, value, step, outcome, colour, side) => {
  expect(meaningOf(kind, value)).toEqual({ step, outcome, colour, side })
})

test('leads in five statuses are not active, and every status and stage of the specification has its meaning', () => {
  expect(INACTIVE_LEAD_STATUSES).toEqual(['junk lead', 'test lead', 'lost lead', 'not qualified', 'duplicate'])
  expect([LEAD_STATUSES.length, DEAL_STAGES.length]).toEqual([15, 9])
})
