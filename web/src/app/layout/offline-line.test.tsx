import { render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { OfflineLine } from './offline-line.tsx'

test('the page is offline only if the browser says so and the portal does not answer', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  const request = vi.fn(async () => new Response())
  vi.stubGlobal('fetch', request)
  render(<OfflineLine />)
  await vi.waitFor(() => expect(request).toHaveBeenCalledTimes(1))
  await request.mock.results[0]?.value
  expect(screen.queryByText(/Offline/)).toBeNull()

  request.mockRejectedValue(new TypeError('Failed to fetch'))
  window.dispatchEvent(new Event('offline'))
  expect(await screen.findByText(/^Offline, as of \d{1,2}:\d\d/)).toBeDefined()

  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true)
  window.dispatchEvent(new Event('online'))
  await vi.waitFor(() => expect(screen.queryByText(/Offline/)).toBeNull())
})
