import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { at, fetchToken, idOf, send, startTestSandbox, type TestSandbox, until } from '../test-sandbox.ts'

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox({ now: '2026-03-01T00:00:00Z' })
})
beforeEach(async () => {
  await sandbox.control('POST', '/sandbox/reset')
  sandbox.setTime('2026-03-01T00:00:00Z')
})
afterAll(() => sandbox[Symbol.asyncDispose]())

const behave = (switches: object) => sandbox.control('POST', '/sandbox/behaviour', switches)
const DEAL = { Deal_Name: 'Okafor – term loan', Stage: 'Information Received', Closing_Date: '2026-06-30' }

async function fieldOf(module: string, name: string): Promise<unknown> {
  const { body } = await sandbox.call('GET', `/crm/v8/settings/fields?module=${module}`)
  const fields = Array.isArray(body['fields']) ? body['fields'] : []
  return fields.find((field) => at(field, 'api_name') === name)
}

test('a switch decides whether COQL knows Converted__s or refuses the column', async () => {
  await sandbox.add('Leads', { Last_Name: 'Ash' })
  const query = 'select id, Converted__s from Leads where id is not null'
  expect((await sandbox.coql(query)).rows).toMatchObject([{ Converted__s: false }])
  await behave({ coqlKnowsConverted: false })
  expect(await sandbox.coql(query)).toMatchObject({
    status: 400,
    body: { code: 'INVALID_QUERY', details: { column_name: 'Converted__s' } },
  })
  expect((await sandbox.call('GET', '/crm/v8/Leads?fields=Converted__s')).rows).toMatchObject([{ Converted__s: false }])
})

test('a switch decides whether COQL knows the stage histories of all deals', async () => {
  const deal = await sandbox.add('Deals', DEAL)
  await sandbox.call('PUT', `/crm/v8/Deals/${deal}`, { data: [{ Stage: 'Funded' }] })
  const query = `select Potential_Name, Stage, Modified_Time from DealHistory where Potential_Name in ('${deal}') order by id desc`
  const history = await sandbox.call('GET', `/crm/v8/Deals/${deal}/Stage_History?fields=Stage,Modified_Time`)
  expect((await sandbox.coql(query)).rows).toEqual(
    history.rows.map((row) => ({ ...row, Potential_Name: { name: DEAL.Deal_Name, id: deal } })),
  )
  await behave({ coqlKnowsDealHistory: false })
  expect(await sandbox.coql(query)).toMatchObject({ status: 400, body: { code: 'INVALID_MODULE' } })
})

test('a switch decides whether a second lead with the same email is refused as a duplicate', async () => {
  const lead = (name: string) => ({ Last_Name: name, Email: 'nkem@okafor.example', LOID: `LO-${name}` })
  const first = await sandbox.add('Leads', lead('First'))
  await sandbox.add('Leads', lead('Second'))
  expect(at(await fieldOf('Leads', 'Email'), 'unique')).toEqual({})
  await behave({ leadEmailUnique: true })
  expect(at(await fieldOf('Leads', 'Email'), 'unique')).toEqual({ casesensitive: '0' })
  const body = { data: [lead('Third')], duplicate_check_fields: ['LOID'] }
  const refused = await sandbox.call('POST', '/crm/v8/Leads/upsert', body)
  expect([refused.status, at(refused.body, 'data.0')]).toMatchObject([
    400,
    { code: 'DUPLICATE_DATA', details: { api_name: 'Email', id: first, duplicate_record: { id: first } } },
  ])
})

test('a switch decides whether a second lead with the same LOID is refused', async () => {
  await sandbox.add('Leads', { Last_Name: 'Ash', LOID: 'LO-00000001' })
  const again = { data: [{ Last_Name: 'Birch', LOID: 'LO-00000001' }] }
  expect((await sandbox.call('POST', '/crm/v8/Leads', again)).status).toBe(400)
  await behave({ loidUnique: false })
  expect((await sandbox.call('POST', '/crm/v8/Leads', again)).status).toBe(201)
  expect(at(await fieldOf('Leads', 'LOID'), 'unique')).toEqual({})
  const upsert = { ...again, duplicate_check_fields: ['LOID'] }
  expect(at((await sandbox.call('POST', '/crm/v8/Leads/upsert', upsert)).body, 'code')).toBe('INVALID_DATA')
})

test('a switch decides whether an email field requires a valid address or accepts anything with an @', async () => {
  const odd = { data: [{ Name: 'Odd', Email: 'a@exa_mple.com' }] }
  expect(at((await sandbox.call('POST', '/crm/v8/Partners', odd)).body, 'data.0')).toMatchObject({
    code: 'INVALID_DATA',
    details: { api_name: 'Email', expected_data_type: 'email' },
  })
  await behave({ emailRule: 'loose' })
  expect((await sandbox.call('POST', '/crm/v8/Partners', odd)).status).toBe(201)
})

test('switches remove values from a picklist, and rename them', async () => {
  const names = async () => {
    const values = at(await fieldOf('Leads', 'Lead_Status'), 'pick_list_values')
    return Array.isArray(values) ? values.map((value) => at(value, 'display_value')) : []
  }
  expect(await names()).toEqual(expect.arrayContaining(['Lost Lead', 'Junk Lead']))
  await behave({ choicesMissing: ['Leads.Lead_Status.Lost Lead'] })
  expect(await names()).not.toContain('Lost Lead')
  expect(await names()).toContain('Junk Lead')

  const lead = await sandbox.add('Leads', { Last_Name: 'Ash', Lead_Status: 'New Lead' })
  await behave({ choicesRenamed: ['Leads.Lead_Status.New Lead=New Referral'] })
  expect(await names()).toContain('New Referral')
  expect((await sandbox.call('GET', `/crm/v8/Leads/${lead}`)).rows[0]).toMatchObject({ Lead_Status: 'New Referral' })
})

test('a switch decides whether a workflow changes a new record in the same second in which it is created', async () => {
  const untouched = await sandbox.add('Leads', { Last_Name: 'Ash', Lead_Status: 'New Lead' })
  expect((await sandbox.call('GET', `/crm/v8/Leads/${untouched}`)).rows[0]).toMatchObject({ Lead_Status: 'New Lead' })

  await behave({ workflowOnCreation: true })
  const body = { data: [{ Last_Name: 'Birch', Lead_Status: 'New Lead', LOID: 'LO-00000001' }] }
  const lead = idOf(await sandbox.call('POST', '/crm/v8/Leads/upsert', { ...body, duplicate_check_fields: ['LOID'] }))
  const time = '2026-03-01T10:00:00+10:00'
  expect((await sandbox.call('GET', `/crm/v8/Leads/${lead}`)).rows[0]).toMatchObject({
    Lead_Status: 'Contact Soon',
    Created_Time: time,
    Modified_Time: time,
  })
  const timeline = (await sandbox.call('GET', `/crm/v8/Leads/${lead}/__timeline`)).body['__timeline']
  expect(timeline).toMatchObject([
    {
      audited_time: time,
      action: 'updated',
      source: 'workflow',
      automation_details: { type: 'workflow' },
      field_history: [{ api_name: 'Lead_Status', _value: { old: 'New Lead', new: 'Contact Soon' } }],
    },
    { audited_time: time, action: 'added', automation_details: null },
  ])

  const converted = await sandbox.call('POST', `/crm/v8/Leads/${lead}/actions/convert`, { data: [{ Deals: DEAL }] })
  const deal = String(at(converted.body, 'data.0.details.Deals.id'))
  const history = await sandbox.call('GET', `/crm/v8/Deals/${deal}/Stage_History?fields=Stage,Modified_Time`)
  expect(history.rows).toMatchObject([
    { Stage: 'Consulting With Client', Modified_Time: time },
    { Stage: 'Information Received', Modified_Time: time },
  ])

  const quiet = await sandbox.call('POST', '/crm/v8/Leads', { data: [{ Last_Name: 'Cole' }], trigger: [] })
  expect((await sandbox.call('GET', `/crm/v8/Leads/${idOf(quiet)}`)).rows[0]).toMatchObject({ Lead_Status: null })
})

test('conversion copies LOID and Partner unless a switch unmaps them, and the fields show the mapping', async () => {
  const partner = await sandbox.add('Partners', { Name: 'Quayside' })
  const convert = async (loid: string) => {
    const lead = await sandbox.add('Leads', {
      Last_Name: 'Okafor',
      LOID: loid,
      Partner: { id: partner },
      Loan_Amount: 5,
    })
    const answer = await sandbox.call('POST', `/crm/v8/Leads/${lead}/actions/convert`, { data: [{ Deals: DEAL }] })
    return (await sandbox.call('GET', `/crm/v8/Deals/${at(answer.body, 'data.0.details.Deals.id')}`)).rows[0]
  }
  const mapping = async (name: string) => at(await fieldOf('Leads', name), 'convert_mapping.Deals')
  expect(await convert('LO-00000001')).toMatchObject({ LOID: 'LO-00000001', Partner: { id: partner }, Amount: 5 })
  expect([await mapping('LOID'), await mapping('Partner')]).toEqual(['LOID', 'Partner'])
  await behave({ conversionMapsLoidAndPartner: false })
  expect(await convert('LO-00000002')).toMatchObject({ LOID: null, Partner: null, Amount: 5 })
  expect([await mapping('LOID'), await mapping('Loan_Amount')]).toEqual([null, 'Amount'])
})

test('page numbers reach only the newest 2,000 deleted records; switches add page tokens and reverse the order', async () => {
  const model = { Last_Name: 'Ash #n#' }
  await sandbox.control('POST', '/sandbox/fill', { module: 'Leads', count: 2_100, record: model })
  for (let deleted = 0; deleted < 2_100; deleted += 100) {
    const { rows } = await sandbox.call('GET', '/crm/v8/Leads?fields=id&sort_order=asc&per_page=100')
    sandbox.setTime(`2026-03-02T00:${String(deleted / 100).padStart(2, '0')}:00Z`)
    await sandbox.call('DELETE', `/crm/v8/Leads?ids=${rows.map((row) => row['id']).join(',')}`)
  }
  const deleted = (query: string) => sandbox.call('GET', `/crm/v8/Leads/deleted?type=all&${query}`)
  expect((await deleted('page=10')).rows).toHaveLength(200)
  expect(at((await deleted('page=10')).body, 'info')).not.toHaveProperty('next_page_token')
  expect(await deleted('page=11')).toMatchObject({ status: 400, body: { code: 'DISCRETE_PAGINATION_LIMIT_EXCEEDED' } })

  await behave({ deletedPages: 'tokens', deletedOrder: 'oldest-first' })
  const seen: string[] = []
  const times: string[] = []
  for (let query = ''; ; ) {
    const { rows, body } = await deleted(query)
    seen.push(...rows.map((row) => String(row['id'])))
    times.push(...rows.map((row) => String(row['deleted_time'])))
    const token = at(body, 'info.next_page_token')
    if (typeof token !== 'string') break
    query = `page_token=${token}`
  }
  expect(new Set(seen).size).toBe(2_100)
  expect(times).toEqual(times.toSorted())
})

test('a call is refused if the switch scopesMissing lists the scope that the call needs', async () => {
  expect((await sandbox.call('GET', '/crm/v8/Leads/search?word=ab')).status).toBe(204)
  await behave({ scopesMissing: ['ZohoSearch.securesearch.READ', 'ZohoCRM.coql.READ'] })
  for (const refused of [
    await sandbox.call('GET', '/crm/v8/Leads/search?word=ab'),
    await sandbox.coql('select id from Leads where id is not null'),
  ]) {
    expect(refused).toMatchObject({ status: 401, body: { code: 'OAUTH_SCOPE_MISMATCH' } })
  }
  expect((await sandbox.call('GET', '/crm/v8/Leads?fields=id')).status).toBe(204)
  expect((await behave({ scopesMissing: ['ZohoCRM.nonsense'] })).status).toBe(400)
})

test('a switch decides whether the API user can list all notes or only the notes of one record', async () => {
  const lead = await sandbox.add('Leads', { Last_Name: 'Ash' })
  await sandbox.call('POST', `/crm/v8/Leads/${lead}/Notes`, { data: [{ Note_Content: 'Called.' }] })
  const notes = (of: string) => sandbox.call('GET', `/crm/v8/${of}?fields=Note_Content`)
  expect((await notes('Notes')).rows).toHaveLength(1)
  await behave({ apiUserIsAdmin: false })
  expect(await notes('Notes')).toMatchObject({ status: 403, body: { code: 'NO_PERMISSION' } })
  expect((await notes(`Leads/${lead}/Notes`)).rows).toHaveLength(1)
})

test('with tokenBlockSeconds, the token throttle ends only after that many seconds without a token request', async () => {
  await using own = await startTestSandbox({ now: '2026-03-01T00:00:00Z' })
  await own.control('POST', '/sandbox/behaviour', { tokenBlockSeconds: 900 })
  for (let count = 2; count <= 10; count++) await fetchToken(own.url)
  await expect(fetchToken(own.url)).rejects.toThrow('Access Denied')
  own.setTime('2026-03-01T00:10:01Z')
  await expect(fetchToken(own.url)).rejects.toThrow('Access Denied')
  own.setTime('2026-03-01T00:25:02Z')
  await fetchToken(own.url)
  expect((await own.control('GET', '/sandbox/calls')).body).toMatchObject({ token_calls: 13 })
})

test('a reset sets every switch back and clears all faults', async () => {
  await behave({ workflowOnCreation: true, scopesMissing: ['ZohoCRM.org.READ'] })
  await sandbox.control('POST', '/sandbox/faults', { slowMs: 5, forbidden: 3 })
  await sandbox.control('POST', '/sandbox/reset')
  const { switches } = (await sandbox.control('GET', '/sandbox/behaviour')).body
  const changed =
    Array.isArray(switches) && switches.filter((one) => JSON.stringify(one.value) !== JSON.stringify(one.default))
  expect(changed).toEqual([])
  expect((await sandbox.control('GET', '/sandbox/faults')).body).toEqual({})
})

test('a stopping sandbox first completes the calls that a fault slows down', async () => {
  const own = await startTestSandbox()
  await own.control('POST', '/sandbox/faults', { slowMs: 60_000 })
  const slow = own.add('Leads', { Last_Name: 'Slow' })
  await until(async () => (await own.control('GET', '/sandbox/calls')).body['total'] || undefined)
  await Promise.all([own[Symbol.asyncDispose](), expect(slow).resolves.toMatch(/^\d+$/)])
})

test('POST /sandbox/fill makes numbered copies that behave like other records, and later records get higher ids', async () => {
  const partner = await sandbox.add('Partners', { Name: 'Quayside' })
  const fill = { count: 3, from: 10, created: '2026-02-01T00:00:00Z' }
  const lead = { Last_Name: 'Ash #n#', LOID: 'LO-#n#', Email: 'a#n#@ash.example', Partner: { id: partner } }
  const deal = { Deal_Name: 'Deal #n#', Stage: 'Funded', Amount: 5, Partner: { id: partner } }
  await sandbox.control('POST', '/sandbox/fill', { module: 'Leads', record: lead, ...fill })
  await sandbox.control('POST', '/sandbox/fill', { module: 'Deals', record: deal, ...fill })
  const leads = await sandbox.coql(
    `select Last_Name, LOID, Email, Created_Time from Leads where Partner = '${partner}'`,
  )
  expect(leads.rows).toMatchObject(
    ['00000010', '00000011', '00000012'].map((number, second) => ({
      Last_Name: `Ash ${number}`,
      LOID: `LO-${number}`,
      Email: `a${number}@ash.example`,
      Created_Time: `2026-02-01T10:00:0${second}+10:00`,
    })),
  )
  const id = String(leads.rows[2]?.['id'])
  expect((await sandbox.call('GET', `/crm/v8/Leads/${id}/__timeline`)).body['__timeline']).toMatchObject([
    { action: 'added', record: { name: 'Ash 00000012', id } },
  ])
  const deals = await sandbox.coql(`select Stage, Amount from Deals where Partner = '${partner}'`)
  const history = `/crm/v8/Deals/${deals.rows[0]?.['id']}/Stage_History?fields=Stage,Amount`
  expect((await sandbox.call('GET', history)).rows).toMatchObject([{ Stage: 'Funded', Amount: 5 }])
  expect((await sandbox.add('Leads', { Last_Name: 'Birch' })) > String(deals.rows[2]?.['id'])).toBe(true)
})

test('a fault strikes every nth matching call or random calls, and the same seed picks the same calls again', async () => {
  const { call, control } = sandbox
  const statuses = async () => {
    const seen: number[] = []
    for (let count = 0; count < 9; count++) {
      await call('GET', '/crm/v8/users')
      seen.push((await call('GET', '/crm/v8/org')).status)
    }
    return seen
  }
  await control('POST', '/sandbox/faults', { unavailable: { every: 3, times: 2, match: '/org' } })
  expect(await statuses()).toEqual([200, 200, 503, 200, 200, 503, 200, 200, 200])
  const byChance = { tooMany: { chance: 0.5, seed: 3, match: '/org' } }
  await control('POST', '/sandbox/faults', byChance)
  const first = await statuses()
  expect(new Set(first)).toEqual(new Set([200, 429]))
  await control('POST', '/sandbox/faults', byChance)
  expect(await statuses()).toEqual(first)
  expect((await control('POST', '/sandbox/faults', { tooMany: { chance: 2 } })).status).toBe(400)
})

test('resetAfterCommit loses the answer to every kind of write, and resetBefore closes the connection before a write', async () => {
  const { call, control, add } = sandbox
  const lead = await add('Leads', { Last_Name: 'Ash' })
  await control('POST', '/sandbox/faults', { resetAfterCommit: { every: 1 } })
  const lost: [string, string, object?][] = [
    ['PUT', `/crm/v8/Leads/${lead}`, { data: [{ Last_Name: 'Birch' }] }],
    ['POST', `/crm/v8/Leads/${lead}/Notes`, { data: [{ Note_Content: 'Called.' }] }],
    ['POST', '/crm/v8/Leads/upsert', { data: [{ Last_Name: 'Cole', LOID: 'LO-00000001' }] }],
    ['POST', `/crm/v8/Leads/${lead}/actions/convert`, { data: [{ Deals: DEAL }] }],
  ]
  for (const [method, path, body] of lost) await expect(call(method, path, body)).rejects.toThrow('fetch failed')
  expect((await sandbox.coql("select Last_Name from Leads where Last_Name in ('Birch', 'Cole')")).rows).toHaveLength(2)
  expect((await call('GET', '/crm/v8/Notes?fields=Note_Content')).rows).toHaveLength(1)
  const [deal] = (await call('GET', '/crm/v8/Deals?fields=id')).rows
  await expect(call('DELETE', `/crm/v8/Deals/${deal?.['id']}`)).rejects.toThrow('fetch failed')
  expect((await call('GET', '/crm/v8/Deals?fields=id')).status).toBe(204)

  await control('POST', '/sandbox/faults', { outage: 'socket' })
  const asStaff = { 'x-spare-faults': 'true' }
  expect((await call('GET', '/crm/v8/Notes?fields=Note_Content', undefined, asStaff)).rows).toHaveLength(1)

  await control('POST', '/sandbox/faults', { resetBefore: 1 })
  await expect(add('Leads', { Last_Name: 'Dunn' })).rejects.toThrow('fetch failed')
  expect((await sandbox.coql("select id from Leads where Last_Name = 'Dunn'")).status).toBe(204)
})

test.each([
  ['empty', null, true],
  ['lost', null, false],
  ['kept', 'Quayside', true],
])('a lookup to a deleted record: %s', async (lookupsToDeleted, whileDeleted, comesBack) => {
  await behave({ lookupsToDeleted })
  const partner = await sandbox.add('Partners', { Name: 'Quayside' })
  const lead = await sandbox.add('Leads', { Last_Name: 'Ash', Partner: { id: partner } })
  const shown = async () =>
    at((await sandbox.call('GET', `/crm/v8/Leads/${lead}?fields=Partner`)).rows[0], 'Partner') ?? null
  await sandbox.call('DELETE', `/crm/v8/Partners/${partner}`)
  expect(await shown()).toEqual(whileDeleted && { name: whileDeleted, id: partner })
  await send(sandbox.url, 'POST', `/recycle-bin/${partner}/restore`)
  expect(await shown()).toEqual(comesBack ? { name: 'Quayside', id: partner } : null)
})

test('staff see what the API user may not read', async () => {
  await sandbox.add('Leads', { Last_Name: 'Ash' })
  await behave({ apiUserSeesRecords: false })
  const list = (headers?: { [name: string]: string }) =>
    sandbox.call('GET', '/crm/v8/Leads?fields=Last_Name', undefined, headers)
  expect((await list()).status).toBe(204)
  expect((await list({ 'x-spare-faults': 'true' })).rows).toHaveLength(1)
})

test('administrators make fields mandatory, refuse records by rules, and let the licence end', async () => {
  const insert = async () =>
    at((await sandbox.call('POST', '/crm/v8/Leads', { data: [{ Last_Name: 'Ash' }] })).body, 'data.0')
  await behave({ fieldsMandatory: ['Leads.Industry'] })
  expect(await insert()).toMatchObject({ code: 'MANDATORY_NOT_FOUND', details: { api_name: 'Industry' } })
  await behave({ fieldsMandatory: null, rulesRefuse: ['Leads.Loan_Amount'] })
  expect(await insert()).toMatchObject({ code: 'FAILED_VALIDATION', details: { api_name: 'Loan_Amount' } })
  await behave({ rulesRefuse: null })
  await sandbox.control('POST', '/sandbox/faults', { failEvery: { n: 1, status: 403, code: 'LICENSE_EXPIRED' } })
  expect(await sandbox.call('GET', '/crm/v8/org')).toMatchObject({ status: 403, body: { code: 'LICENSE_EXPIRED' } })
  await sandbox.control('POST', '/sandbox/faults', { failEvery: { n: 1, status: 200 } })
  expect(await sandbox.call('GET', '/crm/v8/org')).toMatchObject({ status: 200, body: {} })
  await sandbox.control('POST', '/sandbox/faults', {})
  expect(await insert()).toMatchObject({ code: 'SUCCESS' })
})

test('the fault tokensDenied makes the token endpoint deny tokens', async () => {
  await sandbox.control('POST', '/sandbox/faults', { tokensDenied: true })
  await expect(fetchToken(sandbox.url)).rejects.toThrow('Access Denied')
  const authorization = `Zoho-oauthtoken ${sandbox.token}`
  expect((await send(sandbox.url, 'GET', '/crm/v8/org', undefined, { authorization })).status).toBe(200)
})
