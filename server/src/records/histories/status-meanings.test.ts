import { DEAL_STAGES, LEAD_STATUSES } from '@portal/contract/choices.ts'
import { expect, test } from 'vitest'
import { parseStatusMeanings, readStatusMeanings, type StatusMeanings } from './status-meanings.ts'

const meaningsOf =
  (find: StatusMeanings): ((...of: Parameters<StatusMeanings>) => string | null) =>
  (kind, value) =>
    find(kind, value).meaning

test('every status and stage of the specification has a meaning', async () => {
  const meaningOf = meaningsOf(await readStatusMeanings())
  const stages = [...DEAL_STAGES, 'Thrown To Kestrel Capital', 'With Bluegum Finance']
  const all = [
    ...LEAD_STATUSES.map((value) => [value, meaningOf('lead-status', value)]),
    ...stages.map((value) => [value, meaningOf('deal-stage', value)]),
  ]
  expect(all.filter(([, meaning]) => meaning === null)).toEqual([])
  expect(meaningOf('lead-status', 'Funded')).toBeNull()
  expect(meaningOf('lead-status', 'Duplicate')).toBe('The lender already knows this applicant.')
})

test('a file from an editor on Windows is read, and its names may be in upper or lower case', () => {
  const meaningOf = meaningsOf(
    parseStatusMeanings(
      '\uFEFF# Ours\r\n[lead statuses]\r\n\r\npre call : We ring: soon.\r\nPre *: Before.\r\nPre Q*: Nearly.\r\n',
    ),
  )
  expect(meaningOf('lead-status', 'Pre Call')).toBe('We ring: soon.')
  expect(meaningOf('lead-status', 'Pre Approved')).toBe('Before.')
  expect(meaningOf('lead-status', 'PRE QUALIFIED')).toBe('Nearly.')
  expect(meaningOf('deal-stage', 'Pre Call')).toBeNull()
})

test('a line of the file overrides whose turn it is', async () => {
  const find = parseStatusMeanings(`[Lead statuses]
Unable to Contact [Lender's turn]: We go on trying.
Contact in Future  [your turn] : Tell us when.
Call *[your turn]: Call us.
Pre Call: Soon.
Lost Lead: Over.
[Deal stages]
Waiting On Application [your turn]: Send the application.
Stage [two]: A name with brackets.`)
  const sides = (...values: string[]) => values.map((value) => find('lead-status', value).side)
  expect(sides('Unable to contact', 'Contact in Future', 'Call back', 'Pre Call', 'Lost Lead', 'Contacted')).toEqual([
    'lender',
    'partner',
    'partner',
    'lender',
    null,
    'lender',
  ])
  expect(find('deal-stage', 'Waiting On Application')).toEqual({ side: 'partner', meaning: 'Send the application.' })
  expect(find('deal-stage', 'Stage [two]')).toEqual({ side: 'lender', meaning: 'A name with brackets.' })
  expect(find.notPartnersTurn['lead-status']).toEqual(LEAD_STATUSES.filter((status) => status !== 'Contact in Future'))
  expect(find.notPartnersTurn['deal-stage']).toEqual(DEAL_STAGES.filter((stage) => stage !== 'Waiting On Application'))
  expect((await readStatusMeanings())('lead-status', 'Unable to Contact').side).toBe('partner')
})

test.each([
  ['Pre Call: We ring.', /^STATUS_MEANINGS: line 1: \[Lead statuses\] or \[Deal stages\] must come first/],
  ['[Statuses]', /line 1: \[Statuses\] is neither/],
  ['[Deal stages]\n\nApproved', /line 3: must be a name, a colon/],
  ['[Deal stages]\nApproved:', /line 2: must be a name, a colon/],
  ['[Deal stages]\nApproved: A\napproved [your turn]: B', /line 3: approved has a line already/],
  [`[Deal stages]\nApproved: ${'a'.repeat(201)}`, /line 2: may have at most 200 characters/],
])('%j is refused, and the error gives the line’s number', (text, message) => {
  expect(() => parseStatusMeanings(text)).toThrow(message)
})
