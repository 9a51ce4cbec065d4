import { act, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { toast } from './toast.ts'
import { Toaster } from './toaster.tsx'

test.each([
  ['success', 3_000],
  ['info', 4_000],
  ['warning', 4_000],
  ['error', 5_000],
] as const)('a %s message stays for %i ms', (kind, durationMs) => {
  expectToStay(() => toast[kind]('Told'), durationMs)
})

test.each([
  [1_000, 3_000],
  [60_000, 8_000],
])('a message with a requested time of %i ms stays for %i ms', (asked, durationMs) => {
  expectToStay(() => toast.info('Told', asked), durationMs)
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

function expectToStay(show: () => void, durationMs: number) {
  vi.useFakeTimers()
  render(<Toaster />)
  act(show)
  pass(durationMs - 1)
  expect(screen.getByText('Told')).toBeDefined()
  pass(1)
  expect(screen.queryByText('Told')).toBeNull()
}

function pass(ms: number) {
  act(() => {
    vi.advanceTimersByTime(ms)
  })
}
