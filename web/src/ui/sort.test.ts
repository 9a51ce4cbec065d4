import { expect, test } from 'vitest'
import { sortRows, toggleSort } from './sort.ts'

test('choosing the active column reverses its order, and choosing another column sorts in descending order', () => {
  const sort = { column: 'created_at', direction: 'descending' } as const
  expect(toggleSort<string>(sort, 'created_at')).toEqual({ column: 'created_at', direction: 'ascending' })
  expect(toggleSort<string>({ ...sort, direction: 'ascending' }, 'amount')).toEqual({
    column: 'amount',
    direction: 'descending',
  })
})

test('numbers sort as numbers, text sorts without regard to case, and unknown values come last', () => {
  expect(sortRows([9, null, 100, 20], 'descending', (row) => row)).toEqual([100, 20, 9, null])
  expect(sortRows([9, null, 100, 20], 'ascending', (row) => row)).toEqual([9, 20, 100, null])
  expect(sortRows(['beta', 'Alpha', '', 'alpha 2'], 'ascending', (row) => row)).toEqual([
    'Alpha',
    'alpha 2',
    'beta',
    '',
  ])
})
