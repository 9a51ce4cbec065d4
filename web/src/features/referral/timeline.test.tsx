import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { leadOf, timelineOf } from '../../testing/records.ts'
import { data, failure } from '../../testing/server.ts'
import { serveSignedIn } from '../../testing/signed-in.ts'

type Handlers = Parameters<typeof serveSignedIn>[0]

function openLead(handlers: Handlers) {
  const server = serveSignedIn({
    'GET /crm/lead/LO-7K3M9QAZ': () => ({ body: data({ lead: leadOf(), notes: [] }) }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
    ...handlers,
  })
  return { server, user: openApp('/leads/LO-7K3M9QAZ') }
}

const noteOf = (number: number) => ({ type: 'note' as const, text: `Note ${number}`, value: null, days: null })
const shownTexts = (list: HTMLElement) =>
  [...list.querySelectorAll('li.flex')].map((item) => /Note \d+/.exec(item.textContent ?? '')?.[0])

test('a referral shows its present step, what its status means and how long the status usually lasts', async () => {
  const { standing } = timelineOf()
  openLead({
    'GET /crm/lead/LO-7K3M9QAZ/timeline': () => ({
      body: data({
        ...timelineOf([{ ...noteOf(1), by: 'Maya Thornton', is_lender: true }]),
        standing: { ...standing, usual: { days: 2.4, entries: 45, of: 'everybody' } },
      }),
    }),
  })
  const way = await screen.findByRole('region', { name: 'Progress of this referral' })
  expect(way.textContent).toContain('The lender has the referral.')
  expect(way.textContent).toContain('Usually 2–3 days hereacross all partners')
  const steps = within(way).getAllByRole('listitem')
  expect(steps.map((step) => step.getAttribute('aria-current'))).toEqual(['step', null, null, null, null])
  expect(steps[1]?.textContent).toBe('In review, to come')
  const [newest, oldest] = within(screen.getByRole('list', { name: 'Timeline' })).getAllByRole('listitem')
  expect(newest?.textContent).toMatch(/^Maya Thornton Lender.*Note 1$/)
  expect(oldest?.textContent).toMatch(/^Submitted by Mia Harbour/)
})

test('a long timeline unfolds and then fetches earlier entries', async () => {
  const first = Array.from({ length: 49 }, (_, index) => noteOf(99 - index))
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const { server, user } = openLead({
    'GET /crm/lead/LO-7K3M9QAZ/timeline': async ({ query }) => {
      if (query['before'] === undefined) {
        return { body: data(timelineOf(first, { earlier: { count: 1, before: 'here' } })) }
      }
      await answered
      const entries = [{ ...timelineOf().entries[0], ...noteOf(1), id: 'first' }]
      return { body: data({ ...timelineOf(), entries }) }
    },
  })
  const list = await screen.findByRole('list', { name: 'Timeline' })
  expect(shownTexts(list)).toHaveLength(6)
  await user.click(screen.getByRole('button', { name: 'Show 45 earlier' }))
  expect(shownTexts(list)).toHaveLength(50)
  expect(document.activeElement?.textContent).toContain('Note 94')
  await user.click(screen.getByRole('button', { name: 'Show 1 earlier' }))
  // Until the earlier part has loaded, the list stays as it is.
  expect(shownTexts(list)).toHaveLength(50)
  answer()
  expect(await within(list).findByText('Note 1')).toBeDefined()
  expect(list.querySelector('[data-changed]')).toBeNull()
  expect(server.seen.filter(({ path }) => path.endsWith('/timeline')).map(({ query }) => query)).toEqual([
    {},
    { before: 'here' },
  ])
  expect(within(list).queryByRole('button')).toBeNull()
})

test('if a new entry pushes an old entry into an opened earlier part, the old entry is not marked as new', async () => {
  const [submitted] = timelineOf().entries
  const notes = ['Note 3', 'Note 2', 'Note 1'].map((text) => ({ ...submitted, ...noteOf(0), id: text, text }))
  const { server, user } = openLead({
    'POST /crm/note/LO-7K3M9QAZ': () => {
      notes.unshift({ ...submitted, ...noteOf(0), id: 'Note 4', text: 'Note 4' })
      return { status: 201, body: data({ note: {} }) }
    },
    // The latest part has two entries.
    'GET /crm/lead/LO-7K3M9QAZ/timeline': ({ query: { before } }) => ({
      body: data({
        ...timelineOf(),
        entries: before === undefined ? notes.slice(0, 2) : notes.slice(notes.findIndex(({ id }) => id === before) + 1),
        earlier: before === undefined ? { count: notes.length - 2, before: notes[1]?.id } : null,
      }),
    }),
  })
  const list = await screen.findByRole('list', { name: 'Timeline' })
  await user.click(screen.getByRole('button', { name: 'Show 1 earlier' }))
  await within(list).findByText('Note 1')
  await user.type(screen.getByLabelText('Add a note'), 'Note 4')
  await user.click(screen.getByRole('button', { name: 'Add Note' }))
  await within(list).findByText('Note 4')
  await waitFor(() => expect(server.seen.some(({ query }) => query['before'] === 'Note 3')).toBe(true))
  await within(list).findByText('Note 2')
  expect(shownTexts(list)).toEqual(['Note 4', 'Note 3', 'Note 2', 'Note 1'])
  const marked = list.querySelectorAll('[data-changed]')
  expect([...marked].map((item) => /Note \d/.exec(item.textContent ?? '')?.[0])).toEqual(['Note 4'])
})

test('the page shows the lead even if the timeline fails to load', async () => {
  let isBroken = true
  const { user } = openLead({
    'GET /crm/lead/LO-7K3M9QAZ/timeline': () =>
      isBroken ? { status: 403, body: failure('Not now', 'FORBIDDEN') } : { body: data(timelineOf()) },
  })
  expect(await screen.findByText('Failed to load timeline')).toBeDefined()
  expect(screen.getByRole('region', { name: 'Primary Information' })).toBeDefined()
  isBroken = false
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByRole('list', { name: 'Timeline' })).toBeDefined()
})

test('empty fields are folded until a button shows them', async () => {
  const { user } = openLead({})
  const fields = await screen.findByRole('region', { name: 'Business Details' })
  expect(within(fields).getByText('Industry').parentElement?.className).toContain('hidden')
  const unfold = within(fields).getByRole('button', { name: 'Show 3 empty fields' })
  await user.click(unfold)
  expect(within(fields).getByText('Industry').parentElement?.className).not.toContain('hidden')
  expect(unfold.getAttribute('aria-expanded')).toBe('true')
})
