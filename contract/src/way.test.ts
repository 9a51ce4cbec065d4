import { expect, test } from 'vitest'
import { wayOf } from './way.ts'

const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05'].map((day) => `${day}T10:00:00.000Z`)

function walk(...values: string[]) {
  const isStage = (value: string) => value.startsWith('deal ')
  const moments = values.map((value, index) => ({
    kind: isStage(value) ? ('deal-stage' as const) : ('lead-status' as const),
    value: value.replace('deal ', ''),
    at: DAYS[index] ?? '',
  }))
  const { steps, step, outcome } = wayOf(DAYS[0] ?? '', moments)
  return { step, outcome, reached: steps.map(({ reached_at }) => reached_at?.slice(8, 10)) }
}

test('each status and stage moves a referral to its step', () => {
  expect(walk('New Lead')).toEqual({
    step: 'Submitted',
    outcome: 'open',
    reached: ['01', undefined, undefined, undefined, undefined],
  })
  const all = walk('New Lead', 'Contacted', 'Pre Qualified', 'deal Information Received', 'deal Funded')
  expect(all).toEqual({ step: 'Funded', outcome: 'funded', reached: ['01', '02', '03', '04', '05'] })
})

test('a lost referral stays at the step that it had reached', () => {
  expect(walk('New Lead', 'Contacted', 'Lost Lead')).toMatchObject({ step: 'In review', outcome: 'lost' })
  expect(walk('Junk Lead')).toMatchObject({ step: 'Submitted', outcome: 'lost' })
})

test('a skipped step has no time, and going back clears the times of later steps', () => {
  const { step, reached } = walk('New Lead', 'Pre Qualified')
  expect([step, reached.slice(0, 3)]).toEqual(['Qualified', ['01', undefined, '02']])
  const back = walk('New Lead', 'Contacted', 'Pre Qualified', 'Re-engage')
  expect([back.step, back.reached.slice(0, 3)]).toEqual(['In review', ['01', '02', undefined]])
})
