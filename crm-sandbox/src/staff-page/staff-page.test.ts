import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestSandbox, type TestSandbox } from '../test-sandbox.ts'

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox({ seed: true })
})
afterAll(() => sandbox[Symbol.asyncDispose]())

async function page(path: string): Promise<string> {
  return (await fetch(`${sandbox.url}${path}`)).text()
}

/** Sends a form and returns the address to which the answer redirects. */
async function submit(path: string, form: { [name: string]: string } = {}): Promise<string> {
  const answer = await fetch(`${sandbox.url}${path}`, {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
  expect(answer.status).toBe(303)
  return answer.headers.get('location') ?? ''
}

test('the demo has one partner with at least 20 leads and 20 deals, each with its own LOID', async () => {
  const { call } = sandbox
  const leads = await call('GET', '/crm/v8/Leads?fields=LOID,Partner,Lead_Status,Created_Time')
  const deals = await call('GET', '/crm/v8/Deals?fields=LOID,Stage')
  expect(leads.rows.length).toBeGreaterThanOrEqual(20)
  expect(deals.rows.length).toBeGreaterThanOrEqual(20)
  const loids = [...leads.rows, ...deals.rows].map((row) => row['LOID'])
  expect(new Set(loids).size).toBe(loids.length)
  for (const loid of loids) expect(loid).toMatch(/^LO-[0-9A-HJKMNP-TV-Z]{8}$/)
  expect(new Set(leads.rows.map((row) => row['Lead_Status'])).size).toBeGreaterThanOrEqual(8)
  const partners = await call('GET', '/crm/v8/Partners?fields=Name,Email')
  expect(partners.rows).toMatchObject([{ Name: 'Harbour Finance Brokers', Email: 'demo@harbourfinance.example' }])
  for (const lead of leads.rows) {
    expect(lead['Partner']).toMatchObject({ id: partners.rows[0]?.['id'] })
    expect(Date.parse(String(lead['Created_Time']))).toBeLessThanOrEqual(Date.now())
  }
})

test('forms create a lead, set its status, add a note, convert the lead, and change, delete and restore the deal', async () => {
  const created = await submit('/leads', {
    Company: 'O’Hara & <Sons>',
    Last_Name: 'O’Hara',
    Email: 'o@hara.example',
    Loan_Amount: '$85,000',
  })
  const lead = created.replace(/\?.*/, '')
  expect(await page(created)).toContain('Lead created.')
  expect(await page(lead)).toContain('O’Hara &amp; &lt;Sons&gt;')
  expect(await submit(`${lead}/status`, { status: 'Contacted' })).toBe(`${lead}?done=status`)
  await submit(`${lead}/notes`, { title: 'Partner update', content: 'Called.' })
  expect(await page(lead)).toMatch(/Lead Status: <span class="old">New Lead<\/span> → Contacted[\s\S]*Maya Thornton/)

  const converted = await submit(`${lead}/convert`, {
    name: 'O’Hara loan',
    stage: 'Waiting On Application',
    amount: '90000',
    closing: '2026-12-24',
  })
  const deal = converted.replace(/\?.*/, '')
  expect(deal).toMatch(/^\/deals\/\d{19}$/)
  await submit(`${deal}/stage`, { stage: 'Funded' })
  await submit(`${deal}/terms`, { amount: '95,000.50', closing: '2026-12-31' })
  const shown = await page(deal)
  expect(shown).toContain('$95,000.50')
  expect(shown).toMatch(/aria-label="Stage history"[\s\S]*Funded[\s\S]*Waiting On Application/)
  const { rows } = await sandbox.call('GET', `/crm/v8${deal.replace('/deals', '/Deals')}`)
  expect(rows[0]).toMatchObject({ Stage: 'Funded', Amount: 95_000.5, Modified_By: { name: 'Maya Thornton' } })

  const other = (await submit('/leads', { Company: 'Slow Bakery', Last_Name: 'Slow' })).replace(/\?.*/, '')
  expect(await submit(`${other}/convert`, { without: 'deal' })).toBe(`${other}?done=dealless`)
  const made = await submit(`${other}/deal`, { name: 'Slow loan', stage: 'Funded', closing: '2026-12-24' })
  expect(await page(made.replace(/\?.*/, ''))).toContain('Slow loan')

  await submit(`${deal}/delete`)
  expect((await fetch(`${sandbox.url}${deal}`)).status).toBe(404)
  await submit(deal.replace('/deals', '/recycle-bin').concat('/restore'))
  expect(await page(deal)).toContain('O’Hara loan')
})

test('the form for a new lead keeps the input after a refusal and names the reason', async () => {
  const back = await submit('/leads', { Company: 'Acme', Last_Name: 'Ash', Email: 'nonsense' })
  const shown = await page(back)
  expect(shown).toContain('Not saved: invalid data (Email)')
  expect(shown).toContain('value="nonsense"')
})

test('lists can be searched, filtered and paged, and a lead is found by its LOID', async () => {
  expect(await page('/?q=ironbark&show=all')).toContain('Ironbark Haulage')
  expect(await page('/?q=nobody')).toContain('No leads found.')
  expect(await page('/?page=2')).toContain('Page 2 of')
  expect(await page('/?done=deleted')).toContain('href="/?page=2"')
  const { rows } = await sandbox.call('GET', '/crm/v8/Leads?fields=LOID,Company&per_page=1')
  expect(await page(`/leads/${rows[0]?.['LOID']}`)).toContain(`<h1>${rows[0]?.['Company']}</h1>`)
})

test('a page has no script and no inline style, and its content security policy allows nothing by default', async () => {
  const answer = await fetch(sandbox.url)
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await answer.text()).not.toMatch(/<script|\sstyle=|\son[a-z]+=/)
})
