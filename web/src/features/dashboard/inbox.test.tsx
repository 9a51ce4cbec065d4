import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { NEWS_LINE } from '../../testing/records.ts'
import { data } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

const STATS = {
  total_leads: 12,
  active_leads: 7,
  total_deals: 3,
  won_deals: 1,
  total_deal_value: 1_250_000,
  avg_deal_size: 416_667,
  conversion_rate: 0.25,
}
const STUCK = {
  id: 'item-1',
  kind: 'no-movement',
  loid: 'LO-7K3M9QAZ',
  about: 'lead',
  name: 'Coastal Concrete',
  at: '2026-11-20T01:00:00.000Z',
  request: null,
  retry: null,
  note: null,
  webhook: null,
  standing: { value: 'Pre Call', meaning: null, side: 'lender', days: 12, usual: { days: 3, of: 'partner' } },
}
const TURN = {
  ...STUCK,
  id: 'item-2',
  kind: 'your-turn',
  name: 'Okafor Freight',
  loid: 'LO-AAAAAAA2',
  standing: { value: 'Unable to Contact', meaning: 'A word may help.', side: 'partner', days: 0, usual: null },
}
const NOTE = {
  ...STUCK,
  id: 'item-3',
  kind: 'lender-note',
  name: 'Clearview Glass',
  note: { content: 'Please send the statements', by: 'Maya Thornton', count: 1, is_read: false },
}
const REQUEST = {
  ...STUCK,
  id: 'item-5',
  kind: 'request',
  name: 'Lakeside Veterinary',
  standing: null,
  request: { id: 'r1', subject: 'Bank statements', reason: 'Three months', due_on: '2026-12-01', state: 'asked' },
}
const WEBHOOK = {
  ...STUCK,
  id: 'item-4',
  kind: 'webhook-failing',
  loid: null,
  about: null,
  name: 'hooks.saltbush.example',
  webhook: { failing_since: '2026-11-20T01:00:00.000Z', disabled_at: null },
  standing: null,
}

function attentionOf(items: object[], given: object = {}) {
  return { body: data({ items, total: items.length, is_least: false, knows_usual_times: true, ...given }) }
}

function newsOf(lines: object[], total = lines.length, isLeast = false, loids: string[] = []) {
  const counts = { total, is_least: isLeast, leads: total, deals: 0, loids }
  return { body: data({ until: '2026-11-20T01:00:00.000Z', snapshot: '10:10:', lines, ...counts }) }
}

function openDashboard(handlers: Parameters<typeof serveSignedIn>[0]) {
  const server = serveSignedIn({ 'GET /dashboard/stats': () => ({ body: data(STATS) }), ...handlers })
  return { server, user: openApp('/dashboard') }
}

/** A real server never answers at once. The page must first show that the person's action has begun. */
const soon = () => new Promise((resolve) => setTimeout(resolve, 20))

const rows = async () =>
  within(await screen.findByRole('list', { name: 'What needs attention' })).getAllByRole('listitem')

test.each([
  [false, 'Needs attention 3', 'Since you were here 1,204', 'And 1,203 more'],
  [true, 'Needs attention 3+', 'Since you were here 1,204+', 'And at least 1,203 more'],
])('if is_least is %s, the page says: %s, %s and %s', async (isLeast, items, lines, rest) => {
  openDashboard({
    'GET /dashboard/attention': () => attentionOf([TURN, NOTE, STUCK], { is_least: isLeast }),
    'GET /dashboard/news': () => newsOf([NEWS_LINE], 1_204, isLeast),
  })
  expect(await screen.findByRole('heading', { name: items })).toBeDefined()
  expect(within(screen.getByRole('region', { name: lines })).getByText(rest)).toBeDefined()
})

test('each item says what it is and whose turn it is', async () => {
  openDashboard({ 'GET /dashboard/attention': () => attentionOf([REQUEST, TURN, NOTE, WEBHOOK, STUCK]) })
  const texts = (await rows()).map(({ textContent }) => textContent)
  expect(texts.shift()).toMatch(
    /^Lakeside VeterinaryYour turnThe lender asks: Bank statements · until Dec 1, 2026Three months/,
  )
  expect(screen.queryByRole('button', { name: 'Done: Lakeside Veterinary' })).toBeNull()
  expect(texts[0]).toContain('Okafor FreightYour turnUnable to Contact. A word may help.')
  expect(texts[1]).toMatch(/^New: Clearview GlassMaya Thornton wrote · .*Please send the statements/)
  expect(texts[2]).toMatch(/^hooks\.saltbush\.exampleAll deliveries have failed since Nov/)
  expect(texts[3]).toContain('Coastal ConcreteLender’s turn12 days in Pre Call, usually 3 days')
})

test('what needs attention is not told again as news', async () => {
  const told = { ...NEWS_LINE, id: 'told', name: 'Clearview Glass', needs_attention: true }
  const quoted = { ...NEWS_LINE, name: 'Okafor Freight', quote: 'Please send the statements' }
  const why = { ...NEWS_LINE, id: 'why', name: 'Lakeside Veterinary', loid: 'LO-AAAAAAA3', quote: 'Three months' }
  const partly = {
    ...quoted,
    summary: 'Contacted → Pre Qualified, 1 note',
    untold_summary: 'Contacted → Pre Qualified',
    untold_at: '2026-11-19T01:00:00.000Z',
  }
  openDashboard({
    'GET /dashboard/attention': () => attentionOf([{ ...REQUEST, loid: why.loid }, NOTE]),
    'GET /dashboard/news': () => newsOf([told, partly, why]),
  })
  const news = within(await screen.findByRole('region', { name: 'Since you were here 2' }))
  expect(news.getByText('Okafor Freight')).toBeDefined()
  expect(news.getByText('Contacted → Pre Qualified')).toBeDefined()
  const times = news.getAllByRole('time').map((time) => time.getAttribute('datetime'))
  expect(times).toEqual([why.at, partly.untold_at])
  expect(news.queryByText('Clearview Glass')).toBeNull()
  expect(screen.getAllByText('Please send the statements')).toHaveLength(1)
  expect(screen.getAllByText('Three months')).toHaveLength(1)
})

test('until usual times are known, the page does not say that nothing needs attention', async () => {
  openDashboard({ 'GET /dashboard/attention': () => attentionOf([], { knows_usual_times: false }) })
  expect(await screen.findByText('Not enough history yet to tell what is late')).toBeDefined()
  expect(screen.queryByText('Nothing needs your attention')).toBeNull()
})

test('a reply is written in the item, which then leaves the list, and its news is seen', async () => {
  let items = [NOTE, STUCK]
  const { server, user } = openDashboard({
    'GET /dashboard/attention': () => soon().then(() => attentionOf(items)),
    'POST /dashboard/news/seen': () => ({ body: data(null) }),
    'POST /crm/note/LO-7K3M9QAZ': () => {
      items = [STUCK]
      return { status: 201, body: data({ note: {} }) }
    },
  })
  await user.click(await screen.findByRole('button', { name: 'Reply to Clearview Glass' }))
  const field = await screen.findByLabelText('Reply to the lender about Clearview Glass')
  expect(document.activeElement).toBe(field)
  await user.type(field, 'They come today')
  await user.click(screen.getByRole('button', { name: 'Send Reply' }))
  await waitFor(async () => expect(await rows()).toHaveLength(1))
  expect(server.seen.find(({ path }) => path === '/crm/note/LO-7K3M9QAZ')?.body).toEqual({ content: 'They come today' })
  expect(server.seen.find(({ path }) => path === '/dashboard/news/seen')?.body).toMatchObject({ loid: NOTE.loid })
})

test('who marks a note as done has seen its news', async () => {
  let items = [NOTE, STUCK]
  const { server, user } = openDashboard({
    'GET /dashboard/attention': () => attentionOf(items),
    [`POST /dashboard/attention/${encodeURIComponent(NOTE.id)}/done`]: () => {
      items = [STUCK]
      return soon().then(() => ({ body: data(null) }))
    },
    'POST /dashboard/news/seen': () => ({ body: data(null) }),
  })
  await user.click(await screen.findByRole('button', { name: 'Done: Clearview Glass' }))
  await waitFor(() =>
    expect(server.seen.find(({ path }) => path === '/dashboard/news/seen')?.body).toMatchObject({ loid: NOTE.loid }),
  )
  expect(await rows()).toHaveLength(1)
})

test('who cancels a reply is at its button again', async () => {
  const { user } = openDashboard({ 'GET /dashboard/attention': () => attentionOf([NOTE]) })
  const reply = await screen.findByRole('button', { name: 'Reply to Clearview Glass' })
  await user.click(reply)
  await user.click(await screen.findByRole('button', { name: 'Cancel' }))
  expect(document.activeElement).toBe(reply)
})

test('an item can be done for everybody, or come back tomorrow or in a week', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.parse('2026-11-20T05:00:00') })
  let items = [TURN, NOTE, STUCK]
  const { server, user } = openDashboard({
    'GET /dashboard/attention': () => soon().then(() => attentionOf(items)),
    'POST /dashboard/attention/item-2/done': () => {
      items = [NOTE, STUCK]
      return { body: data({}) }
    },
    'POST /dashboard/attention/item-3/remind': () => {
      items = [STUCK]
      return { body: data({}) }
    },
  })
  await user.click(await screen.findByRole('button', { name: 'Done: Okafor Freight' }))
  await waitFor(async () => expect(await rows()).toHaveLength(2))
  await user.click(screen.getByRole('button', { name: 'Remind me of Clearview Glass' }))
  await user.click(screen.getByRole('button', { name: 'In a week' }))
  await waitFor(async () => expect(await rows()).toHaveLength(1))
  const asked = server.seen.find(({ path }) => path === '/dashboard/attention/item-3/remind')
  expect(asked?.body).toEqual({ until: new Date('2026-11-27T08:00:00').toISOString() })
})

test('a viewer sees the items and can be reminded, but can neither reply nor mark them as done', async () => {
  const session = {
    partnerId: 'p1',
    businessName: 'Harbour Finance',
    partnerEmail: 'v@harbour.example',
    personId: 'h1',
  }
  openDashboard({
    'POST /auth/verify': () => ({ body: data({ ...session, role: 'viewer' }) }),
    'GET /dashboard/attention': () => attentionOf([TURN]),
  })
  const [row] = await rows()
  const buttons = within(row ?? document.body).getAllByRole('button')
  expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual(['Remind me of Okafor Freight'])
})

test('a phone has room for two items and a desktop for five; a button shows all', async () => {
  const many = Array.from({ length: 8 }, (_, number) => ({
    ...STUCK,
    id: `item-${number}`,
    name: `Business ${number}`,
  }))
  const { user } = openDashboard({ 'GET /dashboard/attention': () => attentionOf(many) })
  const hidden = async () => (await rows()).map(({ className }) => className.match(/\S*hidden/g)?.join() ?? '')
  const [onDesktop, never] = ['max-sm:hidden', 'hidden,max-sm:hidden']
  expect(await hidden()).toEqual(['', '', onDesktop, onDesktop, onDesktop, never, never, never])
  await user.click(screen.getByRole('button', { name: 'All 8' }))
  expect((await hidden()).join('')).toBe('')
})

test('what is new is marked, and is shown on a phone although older items come before it', async () => {
  const items = [REQUEST, TURN, { ...TURN, id: 'item-6', name: 'Tasman Tiling', loid: 'LO-AAAAAAA6' }, NOTE, STUCK]
  openDashboard({
    'GET /dashboard/attention': () => attentionOf(items),
    'GET /dashboard/news': () => newsOf([], 0, false, ['LO-AAAAAAA6']),
  })
  await waitFor(async () => {
    const onPhone = (await rows()).filter(({ className }) => !className.includes('hidden'))
    expect(onPhone.map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^New: Tasman Tiling/),
      expect.stringMatching(/^New: Clearview Glass/),
    ])
  })
  expect(screen.getByRole('button', { name: 'All 5' })).toBeDefined()
})

test('after a retry the item disappears at once, even while the recent leads are still loading', async () => {
  const retry = { kind: 'lead', id: STUCK.loid, problem: 'Zoho refused the phone number.' }
  const failed = { ...STUCK, kind: 'crm-failed', retry, standing: null }
  let isFailed = true
  const { user } = openDashboard({
    'GET /dashboard/attention': () => attentionOf(isFailed ? [failed] : []),
    'GET /dashboard/leads': () => (isFailed ? { body: paged({ leads: [] }) } : new Promise(() => undefined)),
    [`POST /crm/lead/${STUCK.loid}/retry-push`]: () => {
      isFailed = false
      return { status: 202, body: data({ loid: STUCK.loid, crm: 'pending' }) }
    },
  })
  await user.click(await screen.findByRole('button', { name: 'Retry Coastal Concrete' }))
  expect(await screen.findByText('Nothing needs your attention')).toBeDefined()
})
