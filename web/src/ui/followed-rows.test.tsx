import { act, render, renderHook, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { useFollowedRows } from './followed-rows.ts'
import { RestingRows } from './resting-rows.tsx'

interface Row {
  id: string
  status: string
}

const rows = (...ids: string[]): Row[] => ids.map((id) => ({ id, status: 'New Lead' }))

interface Shown {
  rows: Row[]
  isAsking?: boolean
}

function follow(first: Row[]) {
  const initialProps: Shown = { rows: first }
  return renderHook(
    ({ rows: shown, isAsking = false }: Shown) =>
      useFollowedRows(shown, { scope: 'page 1', isAsking, isFetching: false }),
    { initialProps },
  )
}

test('rows keep their positions and update their text, and new rows wait until the person shows them', () => {
  const { result, rerender } = follow(rows('b', 'a'))
  rerender({ rows: [...rows('c'), { id: 'b', status: 'Contacted' }, ...rows('a')] })
  expect(result.current.rows.map(({ id, status }) => [id, status])).toEqual([
    ['b', 'Contacted'],
    ['a', 'New Lead'],
  ])
  expect(result.current.waiting).toEqual({ added: 1, gone: 0, isReordered: false })
  act(() => result.current.showAll())
  expect(result.current.rows.map(({ id }) => id)).toEqual(['c', 'b', 'a'])
  expect(result.current.waiting).toBeUndefined()
})

test('a row that left the list disappears when the person starts a sync', () => {
  const { result, rerender } = follow(rows('b', 'a'))
  rerender({ rows: rows('b') })
  expect(result.current.waiting).toEqual({ added: 0, gone: 1, isReordered: false })
  rerender({ rows: rows('b'), isAsking: true })
  expect(result.current.rows.map(({ id }) => id)).toEqual(['b'])
  expect(result.current.waiting).toBeUndefined()
})

test('a list on a card shows new rows by itself, unless the pointer is on it', async () => {
  const user = userEvent.setup()
  const list = (...ids: string[]) => <RestingRows rows={rows(...ids)}>{({ id }) => <li key={id}>{id}</li>}</RestingRows>
  const shown = () => screen.getAllByRole('listitem').map((item) => item.textContent)
  const { rerender } = render(list('a'))
  rerender(list('b', 'a'))
  expect(shown()).toEqual(['b', 'a'])

  await user.hover(screen.getByText('a'))
  rerender(list('c', 'b', 'a'))
  expect(shown()).toEqual(['b', 'a'])
  await user.click(screen.getByRole('button', { name: '1 new' }))
  expect(shown()).toEqual(['c', 'b', 'a'])

  rerender(list('d', 'c', 'b', 'a'))
  await user.unhover(screen.getByText('a'))
  expect(shown()).toEqual(['d', 'c', 'b', 'a'])
})

test('after the person deals with a row, the row disappears under the pointer, even if the new rows arrive after the action', async () => {
  const user = userEvent.setup()
  const list = (isAsking: boolean, shown: Row[]) => (
    <RestingRows rows={shown} isAsking={isAsking}>
      {({ id }) => <li key={id}>{id}</li>}
    </RestingRows>
  )
  const shown = () => screen.getAllByRole('listitem').map((item) => item.textContent)
  const before = rows('a', 'b')
  const { rerender } = render(list(false, before))
  await user.hover(screen.getByText('a'))
  rerender(list(true, before))
  rerender(list(false, before))
  const after = rows('b')
  rerender(list(false, after))
  expect(shown()).toEqual(['b'])
  // A later change by somebody else waits again.
  rerender(list(false, rows('c', 'b')))
  expect(shown()).toEqual(['b'])
})
