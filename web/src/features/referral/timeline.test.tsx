import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { leadOf, timelineOf } from '../../testing/records.ts'
import { data, failure } from '../../testing/server.ts'
import { serveSignedIn } from '../../testing/signed-in.ts'

type Handlers = Parameters<typeof serveSignedIn>[0]

function openLead(handlers: Handlers) {
  const server = serveSignedIn({
    'GET /crm/lead/LO-7K3M9QAZ': () => ({ body: data({ lead: leadOf(), notes: [], requests: [] }) }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
    ...handlers,
  })
  return { server, user: openApp('/leads/LO-7K3M9QAZ') }
}

const AT = '2026-11-20T01:00:00.000Z'
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
  expect(way.textContent).toMatch(/usually 2–3 days across all partners/)
  const steps = within(way).getAllByRole('listitem')
  expect(steps.map((step) => step.getAttribute('aria-current'))).toEqual(['step', null, null, null, null])
  expect(steps[1]?.textContent).toBe('In review, to come')
  const [newest, oldest] = within(screen.getByRole('list', { name: 'Timeline' })).getAllByRole('listitem')
  expect(newest?.textContent).toMatch(/^Maya ThorntonLender.*Note 1$/)
  expect(oldest?.textContent).toMatch(/^SubmittedMia Harbour · New Lead · 1 day/)
})

test('a status that began later than its step is named beside the day when it began', async () => {
  const { standing } = timelineOf()
  const reached = ['2026-10-01T01:00:00.000Z', '2026-10-03T01:00:00.000Z', null, null, null]
  const steps = standing.steps.map(({ name }, index) => ({ name, reached_at: reached[index] ?? null }))
  const inReview = { ...standing, steps, step: 'In review' as const, value: 'Unable to Contact' }
  openLead({
    'GET /crm/lead/LO-7K3M9QAZ/timeline': () => ({
      body: data(timelineOf([], { standing: { ...inReview, since: '2026-10-08T01:00:00.000Z' } })),
    }),
  })
  const way = await screen.findByRole('region', { name: 'Progress of this referral' })
  expect(way.textContent).toMatch(/In review.*now here · Unable to Contact since Oct 8 · \d+ days/)
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
  expect(shownTexts(list)).toHaveLength(8)
  await user.click(screen.getByRole('button', { name: 'Show 43 earlier' }))
  expect(shownTexts(list)).toHaveLength(50)
  expect(document.activeElement?.textContent).toContain('Note 92')
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
  expect(await screen.findByRole('region', { name: 'Primary Information' })).toBeDefined()
  isBroken = false
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByRole('list', { name: 'Timeline' })).toBeDefined()
})

test('the timeline shows one of the specification’s panels at a time, each with all its facts', async () => {
  const { user } = openLead({
    'GET /crm/lead/LO-7K3M9QAZ': () => ({
      body: data({ lead: leadOf({ lead_status: 'Contacted' }), notes: [], requests: [] }),
    }),
    'GET /crm/lead/LO-7K3M9QAZ/timeline': () => ({
      body: data(
        timelineOf([
          { type: 'status', value: 'Contacted', by: 'Maya Thornton', is_lender: true, days: null, text: 'By phone' },
        ]),
      ),
    }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({
      body: data([
        { id: 'h2', status: 'Contacted', changed_time: AT, changed_by: 'Maya Thornton', description: 'x', duration: 3 },
        { id: 'h1', status: 'New Lead', changed_time: AT, changed_by: null, description: 'New Lead', duration: 0 },
      ]),
    }),
  })
  const all = within(await screen.findByRole('list', { name: 'Timeline' })).getAllByRole('listitem')
  expect(all[0]?.textContent).toMatch(/^ContactedLatestMaya Thornton · \d+ days.*By phone$/)
  expect(all[1]?.textContent).toMatch(/^SubmittedMia Harbour · New Lead · 1 day/)
  expect(screen.queryByRole('list', { name: 'Status History' })).toBeNull()

  await user.click(screen.getByRole('radio', { name: 'Status History' }))
  const statuses = within(await screen.findByRole('list', { name: 'Status History' })).getAllByRole('listitem')
  expect(statuses.map((status) => status.textContent)).toEqual([
    expect.stringMatching(/^ContactedLatestMaya Thornton · 3 days.*x$/),
    expect.stringMatching(/^New Leadless than a day(?!.*New Lead)/),
  ])
  expect(screen.queryByRole('list', { name: 'Timeline' })).toBeNull()
  await user.click(screen.getByRole('radio', { name: 'Notes (0)' }))
  expect(screen.getByText('No notes yet')).toBeDefined()
})

test.each([
  ['lost', 'Lost Lead', ['Submitted, done', 'In review, done', /^Lost, ended on Nov/]],
  ['handed on', 'Thrown To Kestrel', ['Submitted, done', /^Handed to Kestrel, ended on Nov/]],
] as const)('a referral that is %s names its end and promises no further step', async (outcome, value, texts) => {
  const { standing } = timelineOf()
  openLead({
    'GET /crm/lead/LO-7K3M9QAZ/timeline': () => ({
      body: data(timelineOf([], { standing: { ...standing, step: 'In review', outcome, value } })),
    }),
  })
  const steps = within(await screen.findByRole('list', { name: 'Steps' })).getAllByRole('listitem')
  expect(steps).toHaveLength(texts.length)
  for (const [index, text] of texts.entries()) expect(steps[index]?.textContent).toMatch(text)
})

test('a field that the specification names shows a dash when it is empty', async () => {
  openLead({})
  const fields = await screen.findByRole('region', { name: 'Primary Information' })
  const terms = [...fields.querySelectorAll('dt')].map(({ textContent }) => textContent)
  expect(terms).toEqual([
    'Email',
    'State',
    'Loan Amount',
    'Loan Type',
    'Monthly Sales',
    'Loan Purpose',
    'Lead Name',
    'Phone',
    'ISO',
    'Loan Term',
    'Lead Status',
    'Lead Source',
    'Brand',
    'Created',
  ])
  expect(within(fields).getByText('Brand').nextElementSibling?.textContent).toBe('—')
})
