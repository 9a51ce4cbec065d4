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
  vi.useFakeTimers()
  render(<Toaster />)
  act(() => void toast[kind]('Told'))
  expect(isShownAfter(durationMs - 1)).toBe(true)
  expect(isShownAfter(1)).toBe(false)
})

test.each([
  [1_000, 3_000],
  [60_000, 8_000],
])('a message with a requested time of %i ms stays for %i ms', (asked, durationMs) => {
  vi.useFakeTimers()
  render(<Toaster />)
  act(() => void toast.info('Told', asked))
  expect(isShownAfter(durationMs - 1)).toBe(true)
  expect(isShownAfter(1)).toBe(false)
})

test('a repeated message replaces the one on screen and restarts its time', () => {
  vi.useFakeTimers()
  render(<Toaster />)
  act(() => void toast.error('Told'))
  pass(4_000)
  act(() => void toast.error('Told'))
  pass(4_000)
  expect(screen.getAllByText('Told')).toHaveLength(1)
})

test('a message that informs replaces the one before it, and a closed message is gone', () => {
  vi.useFakeTimers()
  render(<Toaster />)
  act(() => void toast.info('Phone number detected: Australia'))
  const id = toast.error('Please fill in all required fields: Email')
  act(() => void toast.success('Lead submitted successfully'))
  expect(screen.queryByText('Phone number detected: Australia')).toBeNull()
  expect(screen.getByText('Please fill in all required fields: Email')).toBeDefined()
  act(() => toast.close(id))
  expect(screen.queryByText('Please fill in all required fields: Email')).toBeNull()
  expect(screen.getByText('Lead submitted successfully')).toBeDefined()
})

function isShownAfter(ms: number): boolean {
  pass(ms)
  return screen.queryByText('Told') !== null
}

function pass(ms: number) {
  act(() => {
    vi.advanceTimersByTime(ms)
  })
}
