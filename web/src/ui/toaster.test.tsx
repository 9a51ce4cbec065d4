import { act, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { toast } from './toast.ts'
import { Toaster } from './toaster.tsx'

test.each([
  ['success', undefined, 3_000],
  ['info', undefined, 4_000],
  ['warning', undefined, 4_000],
  ['error', undefined, 5_000],
  ['info', 1_000, 3_000],
  ['info', 60_000, 8_000],
] as const)('a %s message with a requested time of %s ms stays for %i ms', (kind, asked, durationMs) => {
  vi.useFakeTimers()
  render(<Toaster />)
  act(() => toast[kind]('Told', asked))
  pass(durationMs - 1)
  expect(screen.getByText('Told')).toBeDefined()
  pass(1)
  expect(screen.queryByText('Told')).toBeNull()
})

test('a repeated message replaces the one on screen and restarts its time', () => {
  vi.useFakeTimers()
  render(<Toaster />)
  act(() => toast.error('Told'))
  pass(4_000)
  act(() => toast.error('Told'))
  pass(4_000)
  expect(screen.getAllByText('Told')).toHaveLength(1)
})

function pass(ms: number) {
  act(() => {
    vi.advanceTimersByTime(ms)
  })
}
