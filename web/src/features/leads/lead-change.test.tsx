import { LEAD_RECORD } from '@portal/contract/lead-fields.ts'
import { typedColumns } from '@portal/contract/record-fields.ts'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { openApp } from '../../testing/open-app.tsx'
import { leadOf, timelineOf } from '../../testing/records.ts'
import { data, failure } from '../../testing/server.ts'
import { serveSignedIn } from '../../testing/signed-in.ts'

const LOID = 'LO-7K3M9QAZ'
const AT = '2026-11-20T02:00:00.000Z'

function serveLead(given: Parameters<typeof leadOf>[0]) {
  let lead = leadOf(given)
  return serveSignedIn({
    [`GET /crm/lead/${LOID}`]: () => ({ body: data({ lead, notes: [], requests: [] }) }),
    [`GET /crm/lead/${LOID}/timeline`]: () => ({ body: data(timelineOf()) }),
    [`GET /crm/lead/${LOID}/status-history`]: () => ({ body: data([]) }),
    [`PUT /crm/lead/${LOID}`]: () => {
      lead = { ...lead, may_change: false, change: { kind: 'correct', state: 'waiting', problem: null, asked_at: AT } }
      return { status: 202, body: data({ loid: LOID }) }
    },
    [`POST /crm/lead/${LOID}/withdraw`]: () => {
      lead = { ...lead, may_change: false, lead_status: 'Withdrawn', withdrawn_at: AT }
      return { status: 202, body: data({ loid: LOID }) }
    },
  })
}

test('a lead that can no longer be corrected says how to tell the lender what is wrong', async () => {
  serveLead({ may_change: false })
  openApp(`/leads/${LOID}`)
  const facts = await screen.findByRole('region', { name: 'Primary Information' })
  expect(facts.textContent).toContain('Something wrong? Tell the lender in a note.')
})

test('Correct opens the form with what was typed, and sends the whole of it', async () => {
  const server = serveLead({ may_change: true })
  const user = openApp(`/leads/${LOID}`)
  const correct = await screen.findByRole('link', { name: 'Correct' })
  expect(screen.queryByText(/Something wrong/)).toBeNull()
  await user.click(correct)
  const phone = await screen.findByLabelText<HTMLInputElement>(/^Phone/)
  expect([phone.value, screen.getByLabelText<HTMLInputElement>(/^Loan Amount/).value]).toEqual([
    '+61 412 345 678',
    '$250,000',
  ])
  await user.clear(phone)
  await user.type(phone, '0491 570 159')
  await user.click(screen.getByRole('button', { name: 'Save Correction' }))
  expect(await screen.findByText('Your correction is on its way to the lender.')).toBeDefined()
  expect(server.seen.find(({ method }) => method === 'PUT')?.body).toMatchObject({
    firstName: 'Mia',
    phone: '+61491570159',
    loanAmount: 250_000,
    loanTerm: '36 months',
  })
  expect(screen.queryByRole('link', { name: 'Correct' })).toBeNull()
})

test('what a colleague corrects comes into the open form, and what the person typed stays', async () => {
  // While a lead is on its way, the page looks again and again.
  let lead = leadOf({ may_change: true, crm: 'pending' })
  let isRefused = true
  const server = serveSignedIn({
    [`GET /crm/lead/${LOID}`]: () => ({ body: data({ lead, notes: [], requests: [] }) }),
    [`GET /crm/lead/${LOID}/status-history`]: () => ({ body: data([]) }),
    [`PUT /crm/lead/${LOID}`]: () =>
      isRefused
        ? { status: 409, body: failure('Another change is on its way.', 'CONFLICT') }
        : { status: 202, body: data({ loid: LOID }) },
  })
  const user = openApp(`/leads/${LOID}/correct`)
  const amount = await screen.findByLabelText<HTMLInputElement>(/^Loan Amount/)
  await user.clear(amount)
  await user.type(amount, '99000')
  lead = { ...lead, phone: '+61491570159', loan_amount: 260_000, may_change: false }
  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(/^Phone/).value).toBe('+61 491 570 159'), {
    timeout: 10_000,
  })
  await user.click(screen.getByRole('button', { name: 'Save Correction' }))
  await screen.findByText('Another change is on its way.')
  expect(amount.value).toBe('$99,000')
  isRefused = false
  await user.click(screen.getByRole('button', { name: 'Save Correction' }))
  await waitFor(() => expect(window.location.pathname).toBe(`/leads/${LOID}`))
  const corrected = { phone: '+61491570159', loanAmount: 99_000 }
  expect(server.seen.filter(({ method }) => method === 'PUT').map(({ body }) => body)).toMatchObject([
    corrected,
    corrected,
  ])
})

test('the form has every field that partners enter, and the page shows every text and amount of a lead', async () => {
  const values = Object.entries(LEAD_RECORD).flatMap(([column, { value }], index): [string, string | number][] => {
    if (column === 'phone' || column === 'partner_iso' || column === 'owns_property') return []
    return [[column, z.safeParse(value, '').success ? `Some ${column}` : 1_000 + index]]
  })
  serveLead({
    ...Object.fromEntries(values),
    lead_name: 'Some first_name Some last_name',
    owns_property: true,
    may_change: true,
  })
  const user = openApp(`/leads/${LOID}`)
  await user.click(await screen.findByRole('link', { name: 'Correct' }))
  await screen.findByRole('button', { name: 'Save Correction' })
  const names = typedColumns(LEAD_RECORD).map(([, name]) => name)
  // The country is chosen with the number.
  expect(names.filter((name) => document.getElementsByName(name).length === 0)).toEqual(['iso'])
  await user.click(screen.getByRole('link', { name: 'Cancel' }))
  await screen.findByRole('heading', { name: 'Business Details' })
  const texts = values.map(([, value]) => (typeof value === 'string' ? value : `$${value.toLocaleString('en-AU')}`))
  expect(texts.filter((text) => !document.body.textContent.includes(text))).toEqual([])
})

test('Withdraw asks for a reason, and the withdrawn lead takes no note', async () => {
  const server = serveLead({ may_change: true })
  const user = openApp(`/leads/${LOID}`)
  await user.click(await screen.findByRole('button', { name: 'Withdraw' }))
  const dialog = await screen.findByRole('dialog', { name: 'Withdraw this lead?' })
  await user.type(within(dialog).getByLabelText('Reason'), 'Went elsewhere')
  await user.click(within(dialog).getByRole('button', { name: 'Withdraw' }))
  expect(await screen.findByText(/^Withdrawn on .* The lender no longer has this lead\.$/)).toBeDefined()
  expect(server.seen.find(({ path }) => path.endsWith('/withdraw'))?.body).toEqual({ reason: 'Went elsewhere' })
  await waitFor(() => expect(screen.queryByLabelText('Add a note')).toBeNull())
})

test('once the lender has touched the lead, the page says what became of the correction and takes a note', async () => {
  serveLead({
    change: { kind: 'correct', state: 'refused', problem: 'The lender has begun to work on it.', asked_at: AT },
  })
  openApp(`/leads/${LOID}/correct`)
  expect(await screen.findByText(/^Your correction of .* was not made\. The lender has begun/)).toBeDefined()
  expect(window.location.pathname).toBe(`/leads/${LOID}`)
  expect(screen.getByLabelText('Add a note')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Withdraw' })).toBeNull()
})
