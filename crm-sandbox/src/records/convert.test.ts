import { afterAll, beforeAll, expect, test } from 'vitest'
import { at, startTestSandbox, type TestSandbox } from '../test-sandbox.ts'

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox({ now: '2026-03-01T00:00:00Z' })
})
afterAll(() => sandbox[Symbol.asyncDispose]())

async function newLead(more: object = {}) {
  await sandbox.control('POST', '/sandbox/reset')
  sandbox.setTime('2026-03-01T00:00:00Z')
  const partner = await sandbox.add('Partners', { Name: 'Quayside' })
  const lead = await sandbox.add('Leads', {
    Last_Name: 'Okafor',
    First_Name: 'Nkem',
    Company: 'Okafor Freight',
    Email: 'nkem@okaforfreight.example',
    Phone: '+61491570156',
    LOID: 'LO-7H2K9QWZ',
    Partner: { id: partner },
    Partner_ISO: 'AU',
    Loan_Amount: 150_000,
    Loan_Type: 'Term Loan',
    Loan_Purpose: 'A truck',
    Loan_Term: '36 months',
    Lead_Source: 'Partner Portal',
    Lead_Status: 'New Lead',
    Description: 'Urgent',
    ...more,
  })
  return { lead, partner }
}

const DEAL = { Deal_Name: 'Okafor – term loan', Stage: 'Information Received', Closing_Date: '2026-06-30' }

function convert(lead: string, item: object) {
  return sandbox.call('POST', `/crm/v8/Leads/${lead}/actions/convert`, { data: [item] })
}

test('a converted lead leaves the list and names its deal, and the deal has the lead’s values', async () => {
  const { lead, partner } = await newLead()
  const { call } = sandbox
  sandbox.setTime('2026-03-04T01:30:00Z')
  const answer = await convert(lead, { Deals: DEAL })
  const dealId = at(answer.body, 'data.0.details.Deals.id')
  expect(answer.status).toBe(200)
  expect(at(answer.body, 'data.0')).toMatchObject({
    code: 'SUCCESS',
    message: 'The record has been converted successfully',
    details: {
      Contacts: { name: 'Nkem Okafor' },
      Accounts: { name: 'Okafor Freight' },
      Deals: { name: DEAL.Deal_Name },
    },
  })

  const fields = 'Converted__s,Converted_Deal,Converted_Date_Time,$converted,$converted_detail,Modified_Time'
  expect((await call('GET', `/crm/v8/Leads?fields=${fields}`)).status).toBe(204)
  expect((await call('GET', `/crm/v8/Leads?fields=${fields}&converted=true`)).rows).toEqual([
    expect.objectContaining({
      Converted__s: true,
      Converted_Deal: { name: DEAL.Deal_Name, id: dealId },
      Converted_Date_Time: '2026-03-04T11:30:00+10:00',
      Modified_Time: '2026-03-04T11:30:00+10:00',
      $converted: true,
      $converted_detail: expect.objectContaining({ deal: dealId }),
    }),
  ])
  expect((await call('GET', `/crm/v8/Deals/${dealId}`)).rows[0]).toMatchObject({
    LOID: 'LO-7H2K9QWZ',
    Partner: { id: partner, name: 'Quayside' },
    Partner_ISO: 'AU',
    Amount: 150_000,
    Business_Name: 'Okafor Freight',
    Email: 'nkem@okaforfreight.example',
    Phone: '+61491570156',
    Loan_Type: 'Term Loan',
    Loan_Purpose: 'A truck',
    Loan_Term: '36 months',
    Lead_Source: 'Partner Portal',
    Description: 'Urgent',
    Contact_Name: { name: 'Nkem Okafor' },
    Account_Name: { name: 'Okafor Freight' },
    Stage: 'Information Received',
    Probability: 25,
    Expected_Revenue: 37_500,
  })
})

test('a converted lead cannot be changed or converted again', async () => {
  const { lead } = await newLead()
  await convert(lead, { Deals: DEAL })
  const changed = await sandbox.call('PUT', `/crm/v8/Leads/${lead}`, { data: [{ Lead_Status: 'Contacted' }] })
  expect([changed.status, at(changed.body, 'data.0.code')]).toEqual([400, 'CONVERTED_RECORD'])
  expect(await convert(lead, { Deals: DEAL })).toMatchObject({ status: 400, body: { code: 'ID_ALREADY_CONVERTED' } })
})

test('the answer has null for a record that was not made, and a refused conversion leaves nothing behind', async () => {
  const { lead } = await newLead({ Company: null })
  const { call } = sandbox
  for (const deal of [
    { ...DEAL, Stage: undefined },
    { ...DEAL, Closing_Date: undefined },
    { ...DEAL, Amount: 'much' },
  ]) {
    expect((await convert(lead, { Deals: deal })).status).toBe(400)
  }
  await sandbox.add('Deals', { Deal_Name: 'Earlier', Stage: 'Funded', LOID: 'LO-7H2K9QWZ' })
  expect(at((await convert(lead, { Deals: DEAL })).body, 'data.0.code')).toBe('DUPLICATE_DATA')
  expect((await call('GET', '/crm/v8/Contacts?fields=id')).status).toBe(204)
  expect(at((await convert(lead, {})).body, 'data.0.details')).toMatchObject({ Deals: null, Accounts: null })
})

test('the conversion options include an existing account, and a conversion can use it', async () => {
  const { lead } = await newLead()
  const options = () => sandbox.call('GET', `/crm/v8/Leads/${lead}/__conversion_options`)
  expect((await options()).status).toBe(204)
  const account = await sandbox.add('Accounts', { Account_Name: 'okafor freight' })
  expect(at((await options()).body, '__conversion_options.Accounts.0.id')).toBe(account)
  const answer = await convert(lead, { Accounts: { id: account }, Deals: DEAL })
  expect(at(answer.body, 'data.0.details.Accounts')).toEqual({ name: 'okafor freight', id: account })
})

test('switches decide whether conversion changes Modified_Time and whether COQL returns converted leads', async () => {
  const { lead } = await newLead()
  await sandbox.control('POST', '/sandbox/behaviour', {
    conversionBumpsModifiedTime: false,
    coqlReturnsConverted: false,
  })
  sandbox.setTime('2026-03-04T01:30:00Z')
  await convert(lead, { Deals: DEAL })
  const { rows } = await sandbox.call('GET', `/crm/v8/Leads/${lead}?fields=Modified_Time`)
  expect(rows[0]).toMatchObject({ Modified_Time: '2026-03-01T10:00:00+10:00' })
  expect((await sandbox.coql('select id from Leads where id is not null')).status).toBe(204)
})
