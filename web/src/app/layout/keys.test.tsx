import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { leadOf } from '../../testing/records.ts'
import { data } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'
import { chooseSingleKeys } from '../../ui/single-keys.ts'

const [first, second] = [
  leadOf({ loid: 'LO-7K3M9QAZ', business_name: 'Acacia' }),
  leadOf({ loid: 'LO-AAAAAAA2', business_name: 'Banksia' }),
]

function serve(more = {}) {
  serveSignedIn({
    'POST /auth/verify': () => ({
      body: data({ partnerId: 'p1', businessName: 'Acme', partnerEmail: 'ada@acme.example', role: 'owner' }),
    }),
    'GET /dashboard/leads': () => ({ body: paged({ leads: [first, second] }) }),
    'GET /dashboard/deals': () => ({ body: paged({ deals: [] }) }),
    ...more,
  })
}

test('single keys go to pages, rows and the search, say what they do, and rest while somebody types', async () => {
  serve()
  const user = openApp('/deals')
  await screen.findByRole('heading', { level: 1, name: 'Deals' })
  await user.keyboard('gl')
  const row = await screen.findByRole('link', { name: 'Acacia' })
  await user.keyboard('j')
  expect(document.activeElement).toBe(row)
  await user.keyboard('jjk')
  expect(document.activeElement).toBe(row)
  await user.keyboard('/')
  expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search leads and deals' }))
  await user.keyboard('gd?')
  expect(screen.queryByRole('dialog')).toBeNull()
  row.focus()
  await user.keyboard('?')
  const help = await screen.findByRole('dialog', { name: 'Keys' })
  expect(within(help).getByText('Security Log')).toBeDefined()
  await user.click(within(help).getByRole('button', { name: 'Close' }))
  chooseSingleKeys(false)
  await user.keyboard('gd')
  expect(screen.getByRole('heading', { level: 1, name: 'Leads' })).toBeDefined()
  chooseSingleKeys(true)
})

test('the palette finds pages and records, opens what is announced, and shows no late answer', async () => {
  let answerSlow: (() => void) | undefined
  serve({
    'GET /crm/search': async ({ query: { q } }: { query: Record<string, string> }) => {
      if (q === 'A') await new Promise<void>((resolve) => (answerSlow = resolve))
      const leads = q === 'A' ? [second] : [first]
      return { body: data({ leads, deals: [], total_leads: 1, total_deals: 0 }) }
    },
    'GET /crm/lead/LO-7K3M9QAZ': () => ({ body: data({ lead: first, notes: [], requests: [] }) }),
  })
  const user = openApp('/deals')
  await screen.findByRole('heading', { level: 1, name: 'Deals' })
  await user.keyboard('{Control>}k{/Control}')
  const input = await screen.findByRole('combobox', { name: /^A page, an action/ })
  await user.type(input, 'A')
  await waitFor(() => expect(answerSlow).toBeDefined())
  await user.type(input, 'cacia')
  const option = await screen.findByRole('option', { name: /^Acacia/ })
  answerSlow?.()
  expect(screen.queryByRole('option', { name: /^Banksia/ })).toBeNull()
  await waitFor(() => expect(input.getAttribute('aria-activedescendant')).toBe(option.id))
  await user.keyboard('{Enter}')
  expect(await screen.findByRole('heading', { level: 1, name: 'Acacia' })).toBeDefined()
})
