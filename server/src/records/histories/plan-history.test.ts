import { describe, expect, test } from 'vitest'
import { type KnownEntry, planHistory } from './plan-history.ts'

const submitted: KnownEntry = {
  value: 'New Lead',
  changed_time: '2026-03-01T10:00:00.700Z',
  origin: 'submitted',
  crm_entry_id: null,
}
const modified_time = '2026-03-05T10:00:00.000Z'
const before = { value: 'New Lead', modified_time: '2026-03-01T10:00:05.000Z' }

function entry(value: string, changed_time: string, entry_id = `e-${value}-${changed_time}`) {
  return { entry_id, value, changed_time, changed_by: 'Dana Cole' }
}

function known(value: string, changed_time: string): KnownEntry {
  return { value, changed_time, origin: 'crm', crm_entry_id: `e-${value}-${changed_time}` }
}

test('the first entry is the submission, not the CRM’s entry for the same event (D26)', () => {
  const told = [entry('New Lead', '2026-03-01T10:00:05.000Z'), entry('Contacted', '2026-03-02T10:00:00.000Z')]
  const plan = planHistory([submitted], told, { value: 'Contacted', modified_time, before })
  expect(plan.entries.map((one) => [one.value, one.origin])).toEqual([['Contacted', 'crm']])
  expect(plan.replacesObserved).toBe(true)
  expect(plan.changes).toMatchObject([
    { value: 'Contacted', previous: 'New Lead', changed_time: '2026-03-02T10:00:00.000Z' },
  ])
})

test('changes that the CRM’s clock dates before the submission follow it, in the CRM’s order', () => {
  const told = [entry('Contacted', '2026-03-01T09:56:00.000Z'), entry('Pre Call', '2026-03-01T09:57:00.000Z')]
  const plan = planHistory([submitted], told, { value: 'Pre Call', modified_time, before: undefined })
  const times = ['2026-03-01T10:00:00.701Z', '2026-03-01T10:00:00.702Z']
  expect(plan.entries.map((one) => one.changed_time)).toEqual(times)

  const later = [...told, entry('Lost Lead', '2026-03-01T09:59:00.000Z')]
  const next = planHistory([submitted, ...plan.entries], later, { value: 'Lost Lead', modified_time, before })
  expect(next.entries.map((one) => [one.value, one.changed_time])).toEqual([['Lost Lead', '2026-03-01T10:00:00.703Z']])
})

test('a status that is missing from the CRM’s history is recorded as observed at Modified_Time (D32a)', () => {
  const told = [entry('Contacted', '2026-03-02T10:00:00.000Z')]
  const { entries } = planHistory([submitted], told, { value: 'Lost Lead', modified_time, before })
  expect(entries).toMatchObject([
    { value: 'Contacted', origin: 'crm', description: null },
    { value: 'Lost Lead', origin: 'observed', crm_entry_id: null, changed_time: modified_time, changed_by: null },
  ])
})

test('nothing is written when the CRM’s history has no new entry and the status is unchanged', () => {
  const present = { value: 'New Lead', modified_time, before }
  const nothing = { entries: [], replacesObserved: false, changes: [] }
  expect(planHistory([submitted], [], present)).toEqual(nothing)
  expect(planHistory([submitted], [entry('New Lead', '2026-03-01T10:00:05.000Z')], present)).toEqual(nothing)
})

describe('a value that goes away and comes back between two pulls', () => {
  test('gives two entries and two changes', () => {
    const told = [
      entry('New Lead', '2026-03-01T10:00:05.000Z'),
      entry('Lost Lead', '2026-03-02T10:00:00.000Z'),
      entry('New Lead', '2026-03-02T11:00:00.000Z'),
    ]
    const plan = planHistory([submitted], told, { value: 'New Lead', modified_time, before })
    expect(plan.entries.map((one) => one.value)).toEqual(['Lost Lead', 'New Lead'])
    expect(plan.changes).toMatchObject([
      { value: 'Lost Lead', previous: 'New Lead' },
      { value: 'New Lead', previous: 'Lost Lead' },
    ])
  })

  test('is not news if the portal first pulled the record after both changes', () => {
    const seen: KnownEntry = { value: 'A', changed_time: modified_time, origin: 'observed', crm_entry_id: null }
    const told = ['A', 'B', 'A'].map((value, day) => entry(value, `2026-03-0${day + 1}T10:00:00.000Z`))
    const present = { value: 'A', modified_time, before: { value: 'A', modified_time } }
    const plan = planHistory([seen], told, present)
    expect(plan.entries.map((one) => one.value)).toEqual(['A', 'B', 'A'])
    expect(plan).toMatchObject({ replacesObserved: true, changes: [] })
  })
})

describe('a history that was read after the record had changed again', () => {
  const first = known('A', '2026-03-01T10:00:00.000Z')
  const old = entry('A', '2026-03-01T10:00:00.000Z')
  const present = { value: 'A', modified_time, before: { value: 'A', modified_time: '2026-03-01T10:00:00.000Z' } }

  test('adds no entry that is newer than the record', () => {
    const plan = planHistory([first], [old, entry('B', '2026-03-05T10:00:01.000Z')], present)
    expect(plan).toMatchObject({ entries: [], changes: [] })
  })

  test('is complete after the next pull', () => {
    const later = '2026-03-05T10:00:01.000Z'
    const plan = planHistory([first], [old, entry('B', later)], { ...present, value: 'B', modified_time: later })
    expect(plan.entries.map((one) => [one.value, one.origin])).toEqual([['B', 'crm']])
    expect(plan.changes).toMatchObject([{ value: 'B', previous: 'A' }])
  })
})

test('an entry from the CRM replaces the observed entry without a second event', () => {
  const seen: KnownEntry = { value: 'B', changed_time: modified_time, origin: 'observed', crm_entry_id: null }
  const later = '2026-03-06T10:00:00.000Z'
  const told = [entry('A', '2026-03-01T10:00:00.000Z'), entry('B', modified_time), entry('C', later)]
  const present = { value: 'C', modified_time: later, before: { value: 'B', modified_time } }
  const plan = planHistory([known('A', '2026-03-01T10:00:00.000Z'), seen], told, present)
  expect(plan.entries.map((one) => one.value)).toEqual(['B', 'C'])
  expect(plan).toMatchObject({ replacesObserved: true, changes: [{ value: 'C', previous: 'B' }] })
})

describe('an observed entry that the CRM’s history still lacks when the record changes again', () => {
  const told = [entry('Contacted', '2026-03-02T10:00:00.000Z')]
  const seen: KnownEntry = { value: 'Lost Lead', changed_time: modified_time, origin: 'observed', crm_entry_id: null }
  const history = [submitted, known('Contacted', '2026-03-02T10:00:00.000Z'), seen]
  const later = { modified_time: '2026-03-09T10:00:00.000Z', before: { value: 'Lost Lead', modified_time } }

  test('stays as it is if the value is the same', () => {
    const plan = planHistory(history, told, { ...later, value: 'Lost Lead' })
    expect(plan).toEqual({ entries: [], replacesObserved: false, changes: [] })
  })

  test('stays, and another one is added, if the value goes back to the previous one', () => {
    const plan = planHistory(history, told, { ...later, value: 'Contacted' })
    expect(plan.entries.map((one) => [one.value, one.origin])).toEqual([['Contacted', 'observed']])
    expect(plan.replacesObserved).toBe(false)
  })
})
