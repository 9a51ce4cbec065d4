import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { NEWS_LINE } from '../../testing/records.ts'
import { data } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

const ITEM = {
  id: 'item-1',
  kind: 'no-movement',
  loid: 'LO-7K3M9QAZ',
  about: 'lead',
  name: 'Coastal Concrete',
  at: '2026-11-20T01:00:00.000Z',
  retry: null,
  note: null,
  webhook: null,
  standing: { value: 'Pre Call', meaning: null, side: 'lender', days: 12, usual: { days: 3, of: 'partner' } },
}

const attentionOf = (items: object[]) => ({ items, total: items.length, is_least: false, knows_usual_times: true })

test.each([
  [false, 'Needs attention 1', 'Since you were here 1,204', 'And 1,203 more'],
  [true, 'Needs attention 1+', 'Since you were here 1,204+', 'And at least 1,203 more'],
])('if is_least is %s, the cards say: %s, %s and %s', async (isMore, items, lines, rest) => {
  serveSignedIn({
    'GET /dashboard/attention': () => ({
      body: data({ items: [ITEM], total: 1, is_least: isMore, knows_usual_times: true }),
    }),
    'GET /dashboard/news': () => ({
      body: data({
        until: '2026-11-20T01:00:00.000Z',
        snapshot: '10:10:',
        lines: [NEWS_LINE],
        total: 1_204,
        is_least: isMore,
        leads: 1_204,
        deals: 0,
        loids: [],
      }),
    }),
  })
  openApp('/dashboard')
  expect(await screen.findByRole('heading', { name: items })).toBeDefined()
  const news = within(screen.getByRole('region', { name: lines }))
  expect(news.getByText(rest)).toBeDefined()
})

test('after a retry the item disappears at once, even while the recent leads are still loading', async () => {
  const retry = { kind: 'lead', id: ITEM.loid, problem: 'Zoho refused the phone number.' }
  const failed = { ...ITEM, kind: 'crm-failed', retry, standing: null }
  let isFailed = true
  serveSignedIn({
    'GET /dashboard/attention': () => ({ body: data(attentionOf(isFailed ? [failed] : [])) }),
    'GET /dashboard/leads': () => (isFailed ? { body: paged({ leads: [] }) } : new Promise(() => undefined)),
    [`POST /crm/lead/${ITEM.loid}/retry-push`]: () => {
      isFailed = false
      return { status: 202, body: data({ loid: ITEM.loid, crm: 'pending' }) }
    },
  })
  const user = openApp('/dashboard')
  await user.click(await screen.findByRole('button', { name: 'Retry Coastal Concrete' }))
  expect(await screen.findByText('Nothing needs your attention')).toBeDefined()
})
