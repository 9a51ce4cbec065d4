import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pressEnterInInputMethod } from '../../testing/input-method.ts'
import { openApp } from '../../testing/open-app.tsx'
import { dealOf, leadOf } from '../../testing/records.ts'
import { data } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

/** `PALETTE_TYPINGS=1000` types more. */
const TYPINGS = Number(process.env['PALETTE_TYPINGS'] ?? 120)
/** After so many typings, somebody presses Enter. */
const OPENED_EVERY = 12

const NAMES = ['Acacia Joinery', 'Acacia Freight', 'Banksia Dental', 'Banyan Tours', 'Leadlight Glass', 'Teal Deals']
const LEADS = NAMES.map((business_name, index) => leadOf({ loid: `LO-AAAAAAA${index + 2}`, business_name }))
const DEALS = NAMES.map((deal_name, index) => dealOf({ loid: `LO-BBBBBBB${index + 2}`, deal_name }))

const typing = fc.record({
  text: fc.oneof(
    fc
      .tuple(fc.constantFrom(...NAMES), fc.integer({ min: 1, max: 14 }))
      .map(([name, letters]) => name.slice(0, letters)),
    fc.constantFrom(...LEADS.map(({ loid }) => loid), 'new', 'xyz', ''),
  ),
  /** How late the answer comes. */
  answerMs: fc.integer({ min: 0, max: 30 }),
  /** How long somebody waits before they type on. */
  pauseMs: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(100) }),
})

test('in random typings into the palette no late answer replaces a newer one, and what is announced opens', {
  timeout: 60 * TYPINGS + 10_000,
}, async () => {
  const typings = fc.sample(typing, { numRuns: TYPINGS, seed: 85 })
  let answerMs = 0
  serveSignedIn({
    'GET /dashboard/deals': () => ({ body: paged({ deals: [] }) }),
    'GET /crm/search': async ({ query: { q = '' } }) => {
      await new Promise((resolve) => setTimeout(resolve, answerMs))
      const leads = LEADS.filter((lead) => isLike(q, `${lead.business_name} ${lead.loid}`))
      const deals = DEALS.filter((deal) => isLike(q, `${deal.deal_name} ${deal.loid}`))
      return { body: data({ leads, deals, total_leads: leads.length, total_deals: deals.length }) }
    },
  })
  openApp('/deals')
  await screen.findByRole('heading', { level: 1, name: 'Deals' })
  let input = await openPalette()
  let opened = 0
  for (const [index, { text, pauseMs, ...late }] of typings.entries()) {
    answerMs = late.answerMs
    fireEvent.change(input, { target: { value: text } })
    if (pauseMs > 0) await act(() => new Promise((resolve) => setTimeout(resolve, pauseMs)))
    expect(records().filter((option) => !isLike(text.trim(), option))).toEqual([])
    if (index % OPENED_EVERY !== OPENED_EVERY - 1 || text.trim() === '') continue
    await waitFor(() => expect(isSearching()).toBe(false))
    const announced = document.getElementById(input.getAttribute('aria-activedescendant') ?? '')?.textContent ?? ''
    const loid = /LO-\w{8}/.exec(announced)?.[0]
    if (loid === undefined) continue
    fireEvent.keyDown(input, { key: 'Enter' })
    await waitFor(() =>
      expect(window.location.pathname).toBe(`/${announced.includes('Deal ·') ? 'deals' : 'leads'}/${loid}`),
    )
    opened += 1
    input = await openPalette()
  }
  expect(opened).toBeGreaterThan(TYPINGS / OPENED_EVERY / 4)
})

test('a view is found in every spelling that people see as its name', async () => {
  serveSignedIn({
    'GET /dashboard/deals': () => ({ body: paged({ deals: [] }) }),
    'GET /dashboard/views': () => ({ body: data({ views: [viewOf('Ngāti Whātua – O’Brien')] }) }),
    'GET /crm/search': () => ({ body: data({ leads: [], deals: [], total_leads: 0, total_deals: 0 }) }),
  })
  openApp('/deals')
  await screen.findByRole('heading', { level: 1, name: 'Deals' })
  const input = await openPalette()
  for (const text of ["ngati whatua - o'brien", 'NGĀTI'.normalize('NFD'), 'obrien', '“whatua”']) {
    fireEvent.change(input, { target: { value: text } })
    expect((await screen.findAllByRole('option'))[0]?.textContent).toContain('Ngāti Whātua – O’Brien')
  }
  pressEnterInInputMethod(input)
  expect(window.location.search).toBe('')
  fireEvent.keyDown(input, { key: 'Enter' })
  await waitFor(() => expect(window.location.search).toContain('Funded'))
})

function viewOf(name: string) {
  return {
    id: name,
    list: 'deals',
    name,
    query: 'stage=Funded',
    is_shared: false,
    is_mine: true,
    is_default: false,
    owner_name: 'Mia Harbour',
  }
}

async function openPalette(): Promise<HTMLElement> {
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
  return screen.findByRole('combobox', { name: /^A page, an action/ })
}

function isSearching(): boolean {
  return screen.queryByText('Searching …') !== null
}

function records(): string[] {
  const options = screen.queryAllByRole('option').map((option) => option.textContent ?? '')
  return options.filter((option) => /(?:Lead|Deal) · /.test(option))
}

function isLike(text: string, option: string): boolean {
  return option.toLowerCase().includes(text.toLowerCase())
}
