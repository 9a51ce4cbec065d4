import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { leadOf, NEWS_LINE } from '../../testing/records.ts'
import { data } from '../../testing/server.ts'
import { serveSignedIn } from '../../testing/signed-in.ts'

const LOID = 'LO-7K3M9QAZ'

beforeEach(() => {
  vi.spyOn(document, 'hasFocus').mockReturnValue(true)
})

test('news of an open record is marked as seen while the person uses the page, and not while the page is only visible', async () => {
  let isUnseen = true
  const { seen } = serveSignedIn({
    'GET /crm/lead/LO-7K3M9QAZ': () => ({ body: data({ lead: leadOf(), notes: [], requests: [] }) }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
    'GET /dashboard/news': () => ({
      body: data({
        until: '2026-11-20T01:00:00.000Z',
        snapshot: '10:10:',
        lines: isUnseen ? [NEWS_LINE] : [],
        total: Number(isUnseen),
        is_least: false,
        leads: Number(isUnseen),
        deals: 0,
        loids: isUnseen ? [LOID] : [],
      }),
    }),
    'POST /dashboard/news/seen': () => {
      isUnseen = false
      return { body: data({}) }
    },
  })
  openApp(`/leads/${LOID}`)
  const marks = () => seen.filter(({ path }) => path === '/dashboard/news/seen').length
  await screen.findByRole('button', { name: 'What is new: 1' })
  await screen.findByRole('heading', { level: 1, name: 'Coastal Concrete' })
  expect(marks()).toBe(0)
  fireEvent.wheel(document.body)
  await waitFor(() => expect(marks()).toBe(1))
  expect(await screen.findByRole('button', { name: 'What is new' })).toBeDefined()

  isUnseen = true
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now + 31_000)
  fireEvent(document, new Event('visibilitychange', { bubbles: true }))
  await screen.findByRole('button', { name: 'What is new: 1' })
  expect(marks()).toBe(1)
  fireEvent.keyDown(document.body, { key: 'ArrowDown' })
  await waitFor(() => expect(marks()).toBe(2))
})

test('if a change happens while an earlier one is being marked as seen, the new one is marked too', async () => {
  const times = ['2026-11-20T01:00:00.000Z', '2026-11-20T01:00:01.000Z']
  const { seen } = serveSignedIn({
    'GET /crm/lead/LO-7K3M9QAZ': () => ({ body: data({ lead: leadOf(), notes: [], requests: [] }) }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
    'GET /dashboard/news': () => {
      const [at] = times
      const total = at ? 1 : 0
      const lines = at ? [{ ...NEWS_LINE, at }] : []
      const counts = { total, is_least: false, leads: total, deals: 0, loids: at ? [LOID] : [] }
      return { body: data({ until: '2026-11-20T01:00:02.000Z', snapshot: '10:10:', lines, ...counts }) }
    },
    // The lender changes the lead again before the first mark arrives.
    'POST /dashboard/news/seen': () => {
      times.shift()
      return { body: data({}) }
    },
  })
  openApp(`/leads/${LOID}`)
  fireEvent.pointerDown(await screen.findByRole('heading', { level: 1, name: 'Coastal Concrete' }))
  await waitFor(() => expect(seen.filter(({ path }) => path === '/dashboard/news/seen')).toHaveLength(2))
  expect(await screen.findByRole('button', { name: 'What is new' })).toBeDefined()
})
