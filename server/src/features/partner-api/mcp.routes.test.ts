import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { KeyRight } from '@portal/contract/key-rights.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertDeal } from '../../testing/insert-deal.ts'
import { makeKey } from '../../testing/make-key.ts'
import { startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

let portal: TestPortal
let partner: TestPartner
beforeAll(async () => {
  portal = await startPortal({ env: { ROLE: 'web' } })
})
beforeEach(async () => {
  partner = await portal.newPartner()
})
afterAll(() => portal[Symbol.asyncDispose]())

/** Connects the official client library with a key of the partner. */
async function connect(rights: readonly KeyRight[], name?: string) {
  const key = await makeKey(partner, rights, name)
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${portal.url}/api/partner/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  async function use(tool: string, given: Record<string, unknown> = {}) {
    const { content, isError } = await client.callTool({ name: tool, arguments: given })
    const [first] = Array.isArray(content) ? content : []
    return { ...JSON.parse(first.text), ...(isError === true && { isError }) }
  }
  return { client, key, use, [Symbol.asyncDispose]: () => client.close() }
}

const LEAD = { business_name: 'Brolga Freight', email: 'nkem@brolga.example', loan_amount: '150k' }

test('the official client connects, pings and lists the tools that the key may use', async () => {
  await using reader = await connect(['read'])
  await reader.client.ping()
  expect(reader.client.getServerVersion()?.name).toBe('partner-portal')
  const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
  const reading = ['find_referrals', 'open_referral', 'changes_since', 'explain_status', 'needs_attention']
  expect(await names(reader.client)).toEqual(reading)
  await using both = await connect(['read', 'submit'])
  const { tools } = await both.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([...reading, 'submit_lead'])
  expect(tools.at(-1)?.inputSchema).toMatchObject({ required: ['lead'] })
  expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual([...reading.map(() => true), false])
})

test('an assistant finds referrals, opens one, and learns what changed, what waits and what a status means', async () => {
  await using reader = await connect(['read'])
  const { loid } = await partner.submitLead({ businessName: 'Saltbush Transport' })
  const deal = await insertDeal(portal.deps.db, partner.id, {
    deal_name: 'Saltbush, a truck',
    partner_commission: 4_321,
  })
  expect(await reader.use('find_referrals', { search: 'saltbush' })).toMatchObject({
    leads: [{ loid, business_name: 'Saltbush Transport', lead_status: 'New Lead' }],
    deals: [{ loid: deal.loid, stage: 'Approved' }],
    has_more: false,
  })
  expect(await reader.use('find_referrals', { search: '“SÁLTBUSH” trans\u00adport' })).toMatchObject({
    leads: [{ loid }],
  })
  expect(await reader.use('find_referrals', { search: 'saltbush', status: 'Nothing' })).toMatchObject({
    leads: [],
    deals: [],
  })
  for (const said of [loid, `the lead (${loid.replace('-', '–').toLowerCase()}).`, loid.replace('-', '\u00a0')]) {
    expect(await reader.use('open_referral', { loid: said })).toMatchObject({
      lead: { lead: { loid }, history: [{}], notes: [] },
    })
  }
  const opened = await reader.use('open_referral', { loid: deal.loid })
  expect(opened).toMatchObject({ deal: { deal: { loid: deal.loid } } })
  expect(JSON.stringify(opened)).not.toContain('4321')
  const begun = await waitFor('the lead among the changes', async () => {
    const changes = await reader.use('changes_since')
    return JSON.stringify(changes).includes(loid) && changes
  })
  expect(begun.changes).toContainEqual(
    expect.objectContaining({ loid, name: 'Saltbush Transport', status: 'New Lead' }),
  )
  for (const status of ['Unable to Contact', ' Unable to Contact\u200b\n', 'unable to contact']) {
    expect(await reader.use('explain_status', { status })).toMatchObject({
      as_lead_status: { meaning: expect.any(String), turn: 'Your turn' },
    })
  }
  expect(await reader.use('needs_attention')).toMatchObject({ total: expect.any(Number), items: expect.any(Array) })
})

test('a lead is submitted only with the confirmation of what was shown, and only once', async () => {
  await using both = await connect(['submit', 'read'])
  const submit = (lead: object, confirmation?: string) => both.use('submit_lead', { lead, confirmation })
  const shown = await submit(LEAD)
  expect(shown).toMatchObject({ submitted: false, lead: { businessName: 'Brolga Freight', loanAmount: 150_000 } })
  const count = async () => (await partner.get('/dashboard/leads?search=brolga')).body.data.leads.length
  expect(await count()).toBe(0)
  expect(await submit({ ...LEAD, loan_amount: '900k' }, shown.confirmation)).toMatchObject({
    isError: true,
    code: 'VALIDATION',
  })
  expect(await submit(LEAD, 'made up')).toMatchObject({ isError: true, code: 'VALIDATION' })
  expect(await count()).toBe(0)

  expect(await submit(LEAD, shown.confirmation)).toMatchObject({ submitted: true, loid: expect.stringMatching(/^LO-/) })
  expect(await submit(LEAD, shown.confirmation)).toMatchObject({ isError: true, code: 'CONFLICT' })
  expect(await count()).toBe(1)
  portal.advance(20 * 60_000)
  const other = { ...LEAD, business_name: 'Brolga Two' }
  const old = await submit(other)
  portal.advance(20 * 60_000)
  expect(await submit(other, old.confirmation)).toMatchObject({ isError: true, code: 'CONFLICT' })
  expect(await submit({ business_name: 'No contact' })).toMatchObject({ isError: true, fields: expect.any(Object) })
})

test('an argument that a tool does not know is refused, as an assistant that guesses names would read the wrong answer', async () => {
  await using both = await connect(['read', 'submit'])
  const { tools } = await both.client.listTools()
  for (const { name, inputSchema } of tools) {
    expect([name, inputSchema['additionalProperties']]).toEqual([name, false])
    const faults = await both.use(name, { guessed: 'x' })
    expect([name, faults]).toMatchObject([name, { isError: true, fields: { guessed: 'guessed is not a known field' } }])
  }
})

test('what a key may not do is refused, and every call stands in the security log', async () => {
  await using reader = await connect(['read'], 'My assistant')
  expect(await reader.use('submit_lead', { lead: LEAD })).toMatchObject({ isError: true, code: 'NOT_ALLOWED' })
  expect(await reader.use('open_referral', { loid: 'LO-00000000' })).toMatchObject({ isError: true, code: 'NOT_FOUND' })
  await reader.use('find_referrals')
  const { entries } = (await partner.get('/security-log?type=keys')).body.data
  const called = entries.filter(({ event, subject }: { event: string; subject: string }) => {
    return event === 'assistant-called' && subject === 'My assistant'
  })
  expect(called).toMatchObject([
    { detail: 'find_referrals', reason: null },
    { detail: 'open_referral', reason: 'NOT_FOUND' },
    { detail: 'submit_lead', reason: 'NOT_ALLOWED' },
  ])
  const submits = await makeKey(partner, ['submit'])
  const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
  expect((await portal.post('/partner/mcp', body, { token: submits })).status).toBe(403)
})

test('the protocol’s odd messages get the protocol’s answers', async () => {
  const token = await makeKey(partner, ['read'])
  const ask = (body: object) => portal.post('/partner/mcp', { jsonrpc: '2.0', ...body }, { token })
  expect((await ask({ id: 'a', method: 'ping' })).body).toEqual({ jsonrpc: '2.0', id: 'a', result: {} })
  const notified = await ask({ method: 'notifications/cancelled', params: { requestId: 1 } })
  expect([notified.status, notified.body]).toEqual([202, undefined])
  expect((await ask({ id: 1, method: 'resources/list' })).body.error.code).toBe(-32_601)
  expect((await ask({ id: 1, method: 'tools/call', params: { name: 'rm' } })).body.error.code).toBe(-32_602)
  expect((await ask({ id: 1, method: 'initialize', params: {} })).body.error.code).toBe(-32_602)
  const future = await ask({ id: 1, method: 'initialize', params: { protocolVersion: '2099-01-01' } })
  expect(future.body.result.protocolVersion).toBe('2025-11-25')
  expect((await portal.get('/partner/mcp', { token })).status).toBe(405)
  expect((await ask({ id: 1, method: 5 })).status).toBe(400)
  const hostile = { name: 'find_referrals', arguments: { search: { length: { toString: null } } } }
  const refused = await ask({ id: 1, method: 'tools/call', params: hostile })
  expect([refused.status, refused.body.result.isError]).toEqual([200, true])
  const pinged = async (version: string) => {
    const headers = { 'mcp-protocol-version': version }
    return (await portal.post('/partner/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, { token, headers })).status
  }
  expect(await Promise.all(['2025-06-18', '2024-11-05', '2099-01-01', 'x'].map(pinged))).toEqual([200, 200, 400, 400])
})
