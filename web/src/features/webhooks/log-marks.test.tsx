import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { LogStatus, ResponseStatus } from './log-marks.tsx'

test.each([
  ['success', 'Success', 'success'],
  ['failed', 'Failed', 'error'],
  ['error', 'Error', 'error'],
  ['pending', 'Pending', 'warning'],
  ['paused', 'paused', 'secondary'],
])('the status %s is shown as %s in the colour %s', (status, text, variant) => {
  render(<LogStatus status={status as 'success'} />)
  expect(screen.getByText(text).closest('[data-variant]')?.getAttribute('data-variant')).toBe(variant)
})

test.each([
  [199, 'secondary'],
  [200, 'success'],
  [299, 'success'],
  [300, 'secondary'],
  [399, 'secondary'],
  [400, 'error'],
  [503, 'error'],
])('the response %i has the colour %s', (code, variant) => {
  render(<ResponseStatus code={code} />)
  expect(screen.getByText(String(code)).closest('[data-variant]')?.getAttribute('data-variant')).toBe(variant)
})

test('a call without an answer is shown as “No answer”', () => {
  render(<ResponseStatus code={null} />)
  expect(screen.getByText('No answer')).toBeDefined()
})
