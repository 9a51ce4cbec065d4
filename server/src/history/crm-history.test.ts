import { expect, test } from 'vitest'
import { historyToWrite } from './crm-history.ts'

const submitted = { value: 'New Lead', at: '2026-03-01T10:00:00.700Z' }
const modified_time = '2026-03-05T10:00:00.000Z'

function entry(value: string, changed_time: string) {
  return { entry_id: `e-${value}`, value, changed_time, changed_by: 'Dana Cole' }
}

test('the submission is the first entry, not the CRM’s record of the same moment (D26)', () => {
  const told = [entry('New Lead', '2026-03-01T10:00:05.000Z'), entry('Contacted', '2026-03-02T10:00:00.000Z')]
  const { entries, replacesObserved } = historyToWrite(told, {
    submitted,
    current: 'Contacted',
    isCurrentKnown: false,
    modified_time,
  })
  expect(entries.map((one) => [one.value, one.origin])).toEqual([['Contacted', 'crm']])
  expect(replacesObserved).toBe(true)
})

test('a change in the second of the submission does not come before it', () => {
  const told = [entry('Contacted', '2026-03-01T10:00:00.000Z')]
  const { entries } = historyToWrite(told, { submitted, current: 'Contacted', isCurrentKnown: false, modified_time })
  expect(entries[0]?.changed_time).toBe(submitted.at)
})

test('a status that the CRM’s history does not tell of was observed at Modified_Time (D32a)', () => {
  const told = [entry('Contacted', '2026-03-02T10:00:00.000Z')]
  const { entries } = historyToWrite(told, { submitted, current: 'Lost Lead', isCurrentKnown: false, modified_time })
  expect(entries).toMatchObject([
    { value: 'Contacted', origin: 'crm', description: null },
    { value: 'Lost Lead', origin: 'observed', entry_id: null, changed_time: modified_time, changed_by: null },
  ])
})

test('nothing told and nothing new to see writes nothing', () => {
  const known = { submitted, current: 'New Lead', isCurrentKnown: true, modified_time }
  expect(historyToWrite([], known)).toEqual({ entries: [], replacesObserved: false })
  expect(historyToWrite([entry('New Lead', '2026-03-01T10:00:05.000Z')], known).entries).toEqual([])
})
