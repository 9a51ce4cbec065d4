import { expect, test } from 'vitest'
import { startTestSandbox, type TestSandbox } from '../test-sandbox.ts'
import { isObject, type JsonObject } from '../wire/wire.ts'

const PATH = '/crm/v8/settings/fields'

async function fieldsOf(sandbox: TestSandbox, module: string): Promise<JsonObject[]> {
  const { body } = await sandbox.call('GET', `${PATH}?module=${module}`)
  return Array.isArray(body['fields']) ? body['fields'].filter(isObject) : []
}

async function remove(sandbox: TestSandbox, module: string, apiName: string) {
  const field = (await fieldsOf(sandbox, module)).find((one) => one['api_name'] === apiName)
  return sandbox.call('DELETE', `${PATH}/${String(field?.['id'])}?module=${module}`)
}

const make = (sandbox: TestSandbox, module: string, ...fields: JsonObject[]) =>
  sandbox.call('POST', `${PATH}?module=${module}`, { fields })

test('a deleted custom field and its values are gone from settings, records and queries', async () => {
  await using sandbox = await startTestSandbox()
  const id = await sandbox.add('Leads', { Last_Name: 'Rivera', LOID: 'LO-12345678' })
  expect((await remove(sandbox, 'Leads', 'LOID')).status).toBe(200)
  expect((await fieldsOf(sandbox, 'Leads')).map((field) => field['api_name'])).not.toContain('LOID')
  expect((await sandbox.call('GET', `/crm/v8/Leads/${id}`)).rows[0]).not.toHaveProperty('LOID')
  expect((await sandbox.coql("select LOID from Leads where LOID = 'LO-12345678'")).body['code']).toBe('INVALID_QUERY')
  const checked = { data: [{ Last_Name: 'A' }], duplicate_check_fields: ['LOID'] }
  expect((await sandbox.call('POST', '/crm/v8/Leads/upsert', checked)).status).toBe(400)

  expect(await remove(sandbox, 'Leads', 'Last_Name')).toMatchObject({ status: 400, body: { code: 'NOT_ALLOWED' } })
  await sandbox.control('POST', '/sandbox/reset', {})
  expect((await fieldsOf(sandbox, 'Leads')).map((field) => field['api_name'])).toContain('LOID')
})

test('a new field gets its API name from its label and works like any other field', async () => {
  await using sandbox = await startTestSandbox()
  await remove(sandbox, 'Leads', 'LOID')
  const made = await make(
    sandbox,
    'Leads',
    { field_label: 'LOID', data_type: 'text', length: 20, unique: { case_sensitive: false } },
    {
      field_label: 'Trade-in Kind',
      data_type: 'picklist',
      pick_list_values: [{ display_value: 'Truck', actual_value: 'Truck' }],
    },
    { field_label: 'Referred To', data_type: 'lookup', lookup: { module: { api_name: 'Partners' } } },
  )
  expect([made.status, made.body['fields']]).toMatchObject([
    201,
    Array.from({ length: 3 }, () => ({ code: 'SUCCESS', details: { id: expect.stringMatching(/^\d{15,20}$/) } })),
  ])
  const partner = await sandbox.add('Partners', { Name: 'Harbour' })
  const lead = { Last_Name: 'R', LOID: 'LO-1', Trade_in_Kind: 'Truck', Referred_To: { id: partner } }
  const id = await sandbox.add('Leads', lead)
  expect((await sandbox.call('GET', `/crm/v8/Leads/${id}`)).rows[0]).toMatchObject({
    LOID: 'LO-1',
    Trade_in_Kind: 'Truck',
    Referred_To: { id: partner, name: 'Harbour' },
  })
  expect((await sandbox.coql("select id from Leads where LOID = 'LO-1'")).rows).toEqual([{ id }])
  const twice = await sandbox.call('POST', '/crm/v8/Leads', { data: [{ Last_Name: 'S', LOID: 'LO-1' }] })
  expect(twice.rows[0]?.['code']).toBe('DUPLICATE_DATA')
  const taken = await make(sandbox, 'Leads', { field_label: 'Trade in-Kind', data_type: 'text' })
  expect(taken.status).toBe(201)
  expect((await fieldsOf(sandbox, 'Leads')).map((field) => field['api_name'])).toContain('Trade_in_Kind1')
})

test.each([
  ['each', 207, 1],
  ['all-or-none', 400, 0],
])('fieldsMade=%s decides whether a refused field stops the others', async (fieldsMade, status, made) => {
  await using sandbox = await startTestSandbox()
  await sandbox.control('POST', '/sandbox/behaviour', { fieldsMade })
  const count = async () => (await fieldsOf(sandbox, 'Deals')).length
  const before = await count()
  const answer = await make(
    sandbox,
    'Deals',
    { field_label: 'Fine', data_type: 'text' },
    { field_label: 'LOID', data_type: 'text' },
    { field_label: 'No such', data_type: 'poem' },
    { data_type: 'text' },
  )
  expect([answer.status, (await count()) - before]).toEqual([status, made])
  expect(JSON.stringify(answer.body)).toMatch(/DUPLICATE_DATA.*INVALID_DATA.*MANDATORY_NOT_FOUND/)
  const six = Array.from({ length: 6 }, (_, i) => ({ field_label: `F${i}`, data_type: 'text' }))
  expect((await make(sandbox, 'Deals', ...six)).body['code']).toBe('LIMIT_EXCEEDED')
})
