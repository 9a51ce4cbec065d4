import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { at, idOf, startTestSandbox, type TestSandbox } from '../test-sandbox.ts'

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox({ now: '2026-03-01T00:00:00Z' })
})
afterAll(() => sandbox[Symbol.asyncDispose]())

async function emptied(): Promise<TestSandbox> {
  await sandbox.control('POST', '/sandbox/reset')
  sandbox.setTime('2026-03-01T00:00:00Z')
  return sandbox
}

describe('writing', () => {
  test('ids have nineteen digits; times have the organisation’s offset and no milliseconds', async () => {
    const { call } = await emptied()
    const added = await call('POST', '/crm/v8/Leads', { data: [{ Last_Name: 'Ash' }] })
    expect(added.status).toBe(201)
    expect(at(added.body, 'data.0')).toMatchObject({
      code: 'SUCCESS',
      message: 'record added',
      details: { id: expect.stringMatching(/^\d{19}$/), Created_Time: '2026-03-01T10:00:00+10:00' },
    })
  })

  test('a write returns one result per record, in order, with the path of each error', async () => {
    const { call } = await emptied()
    const { status, rows } = await call('POST', '/crm/v8/Leads', {
      data: [
        { Last_Name: 'Ash', LOID: 'LO-1' },
        { Company: 'No name' },
        { Last_Name: 'B', Email: 'not an email' },
        { Last_Name: 'C', Phone: '1'.repeat(31) },
        { Last_Name: 'D', LOID: 'lo-1' },
        { Last_Name: 'E', Loan_Amount: '12' },
        { Email: 'x', Loan_Amount: true },
        { Last_Name: 'F', Lead_Status: 'Never heard of' },
        { Last_Name: 'G', Partner: { id: '5400000000000999999' } },
      ],
    })
    expect(status).toBe(207)
    expect(rows.map((row) => row['code'])).toEqual([
      'SUCCESS',
      'MANDATORY_NOT_FOUND',
      'INVALID_DATA',
      'INVALID_DATA',
      'DUPLICATE_DATA',
      'INVALID_DATA',
      'MULTIPLE_OR_MULTI_ERRORS',
      'SUCCESS',
      'INVALID_DATA',
    ])
    expect(rows[1]).toMatchObject({ details: { api_name: 'Last_Name', json_path: '$.data[1].Last_Name' } })
    expect(rows[2]).toMatchObject({ details: { expected_data_type: 'email', json_path: '$.data[2].Email' } })
    expect(rows[3]).toMatchObject({ details: { maximum_length: 30, json_path: '$.data[3].Phone' } })
    expect(rows[4]).toMatchObject({
      details: { api_name: 'LOID', duplicate_record: { module: { api_name: 'Leads' } } },
    })
  })

  test('a request with more than a hundred records is refused as a whole', async () => {
    const { call } = await emptied()
    const data = Array.from({ length: 101 }, () => ({ Last_Name: 'x' }))
    const answer = await call('POST', '/crm/v8/Leads', { data })
    expect(answer).toMatchObject({ status: 400, body: { code: 'LIMIT_EXCEEDED', details: { maximum_length: 100 } } })
    expect((await call('GET', '/crm/v8/Leads?fields=id')).status).toBe(204)
  })

  test('an update keeps fields that it does not name, empties fields set to null, and checks If-Unmodified-Since', async () => {
    const { call, add, setTime } = await emptied()
    const id = await add('Leads', { Last_Name: 'Ash', Company: 'Ash Pty Ltd', Phone: '02 5550 1000' })
    setTime('2026-03-02T00:00:00Z')
    expect((await call('PUT', `/crm/v8/Leads/${id}`, { data: [{ Phone: null, First_Name: 'Kim' }] })).status).toBe(200)
    const { rows } = await call('GET', `/crm/v8/Leads/${id}`)
    expect(rows[0]).toMatchObject({
      Company: 'Ash Pty Ltd',
      Phone: null,
      Full_Name: 'Kim Ash',
      Modified_Time: '2026-03-02T10:00:00+10:00',
    })
    const late = { 'if-unmodified-since': '2026-03-01T00:00:00Z' }
    expect(await call('PUT', `/crm/v8/Leads/${id}`, { data: [{ Phone: '1' }] }, late)).toMatchObject({
      status: 412,
      body: { code: 'ALREADY_MODIFIED' },
    })
    const bulk = await call('PUT', '/crm/v8/Leads', { data: [{ id, Phone: '5' }, { id: '5400000000000999999' }, {}] })
    expect([bulk.status, bulk.rows.map((row) => row['code'])]).toEqual([
      207,
      ['SUCCESS', 'INVALID_DATA', 'MANDATORY_NOT_FOUND'],
    ])
  })

  test('a first upsert inserts and later upserts update', async () => {
    const { call } = await emptied()
    const upsert = (record: object, checks?: string[]) =>
      call('POST', '/crm/v8/Leads/upsert', { data: [record], duplicate_check_fields: checks })
    const first = await upsert({ Last_Name: 'Ash', LOID: 'LO-1' }, ['LOID'])
    const second = await upsert({ Last_Name: 'Ashby', LOID: 'LO-1' }, ['LOID'])
    expect(first.rows[0]).toMatchObject({ action: 'insert', duplicate_field: null, message: 'record added' })
    expect(second.rows[0]).toMatchObject({ action: 'update', duplicate_field: 'LOID', message: 'record updated' })
    expect(idOf(second)).toBe(idOf(first))
    expect((await upsert({ Last_Name: 'x', Phone: '1' }, ['Phone'])).body).toMatchObject({ code: 'INVALID_DATA' })
    const byEmail = [
      await upsert({ Last_Name: 'E', Email: 'e@x.example' }),
      await upsert({ Last_Name: 'E', Email: 'E@x.example' }),
    ]
    expect(byEmail.map((one) => at(one.body, 'data.0.action'))).toEqual(['insert', 'update'])
  })

  test.each([
    ['refuse', { code: 'CONVERTED_RECORD' }],
    ['duplicate', { code: 'DUPLICATE_DATA' }],
  ])(
    'upsertOfConverted=%s decides which error the sandbox returns for an upsert of a converted lead',
    async (setting, expected) => {
      const { call, add, control } = await emptied()
      await control('POST', '/sandbox/behaviour', { upsertOfConverted: setting })
      const id = await add('Leads', { Last_Name: 'Ash', LOID: 'LO-1' })
      await call('POST', `/crm/v8/Leads/${id}/actions/convert`, { data: [{}] })
      const answer = await call('POST', '/crm/v8/Leads/upsert', {
        data: [{ Last_Name: 'A', LOID: 'LO-1' }],
        duplicate_check_fields: ['LOID'],
      })
      expect([answer.status, answer.rows[0]]).toEqual([400, expect.objectContaining(expected)])
    },
  )

  test('a deleted record is listed under /deleted, its notes are gone, and staff can restore both', async () => {
    const { call, add, url } = await emptied()
    const id = await add('Leads', { Last_Name: 'Ash' })
    await call('POST', `/crm/v8/Leads/${id}/Notes`, { data: [{ Note_Content: 'hello' }] })
    const answer = await call('DELETE', `/crm/v8/Leads?ids=${id},5400000000000999999`)
    expect([answer.status, answer.rows.map((row) => row['status'])]).toEqual([207, ['success', 'error']])
    expect((await call('GET', `/crm/v8/Leads/${id}`)).status).toBe(204)
    expect((await call('GET', '/crm/v8/Notes?fields=id')).status).toBe(204)
    const deleted = await call('GET', '/crm/v8/Leads/deleted?type=all')
    expect(deleted.rows).toEqual([
      expect.objectContaining({ id, display_name: 'Ash', type: 'recycle', deleted_time: '2026-03-01T10:00:00+10:00' }),
    ])
    const since = (instant: string) =>
      call('GET', '/crm/v8/Leads/deleted?type=all', undefined, { 'if-modified-since': instant })
    expect((await since('2026-03-01T00:00:00Z')).status).toBe(304)
    expect((await since('2026-02-28T23:59:59Z')).status).toBe(200)
    expect((await call('GET', '/crm/v8/Leads/deleted?type=some')).body).toMatchObject({ code: 'PATTERN_NOT_MATCHED' })
    await fetch(`${url}/recycle-bin/${id}/restore`, { method: 'POST' })
    expect((await call('GET', `/crm/v8/Leads/${id}/Notes?fields=Note_Content`)).rows).toHaveLength(1)
    expect((await call('GET', '/crm/v8/Leads/deleted?type=all')).status).toBe(204)
  })
})

describe('listing', () => {
  test('a listing must name its fields, at most fifty', async () => {
    const { call } = await emptied()
    expect((await call('GET', '/crm/v8/Leads')).body).toMatchObject({
      code: 'REQUIRED_PARAM_MISSING',
      details: { param_name: 'fields' },
    })
    const many = Array.from({ length: 51 }, (_, index) => `F${index}`).join(',')
    expect((await call('GET', `/crm/v8/Leads?fields=${many}`)).body).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { limit: 50 },
    })
    expect((await call('GET', '/crm/v8/Leads?fields=id')).status).toBe(204)
  })

  test('page tokens lead forwards and back, but only with the same parameters and for one day', async () => {
    const { call, setTime } = await emptied()
    await call('POST', '/crm/v8/Leads', { data: Array.from({ length: 5 }, (_, index) => ({ Last_Name: `L${index}` })) })
    const path = '/crm/v8/Leads?fields=Last_Name&per_page=2&sort_by=id&sort_order=asc'
    const pages: string[] = []
    const backwards: string[] = []
    const names = (answer: Awaited<ReturnType<typeof call>>) => answer.rows.map((row) => row['Last_Name']).join()
    let page = await call('GET', path)
    const token = at(page.body, 'info.next_page_token')
    for (;;) {
      pages.push(names(page))
      const next = at(page.body, 'info.next_page_token')
      if (next === null) break
      page = await call('GET', `${path}&page_token=${next}`)
    }
    expect(pages).toEqual(['L0,L1', 'L2,L3', 'L4'])
    expect(page.body['info']).toMatchObject({ more_records: false, page: 3, page_token_expiry: null })
    while (at(page.body, 'info.previous_page_token')) {
      page = await call('GET', `${path}&page_token=${at(page.body, 'info.previous_page_token')}`)
      backwards.push(names(page))
    }
    expect(backwards).toEqual(['L2,L3', 'L0,L1'])

    const altered = path.replace('per_page=2', 'per_page=3')
    expect((await call('GET', `${altered}&page_token=${token}`)).body).toMatchObject({
      code: 'TOKEN_BOUND_DATA_MISMATCH',
    })
    expect((await call('GET', `${path}&page_token=${token}&page=2`)).body).toMatchObject({
      code: 'AMBIGUITY_DURING_PROCESSING',
    })
    expect((await call('GET', `${path}&page_token=garbage`)).body).toMatchObject({ code: 'INVALID_DATA' })
    setTime('2026-03-02T00:00:01Z')
    expect((await call('GET', `${path}&page_token=${token}`)).body).toMatchObject({ code: 'EXPIRED_VALUE' })
  })

  test('page numbers reach only the first two thousand records', async () => {
    const { call } = await emptied()
    expect((await call('GET', '/crm/v8/Leads?fields=id&page=10')).status).toBe(204)
    expect((await call('GET', '/crm/v8/Leads?fields=id&page=11')).body).toMatchObject({
      code: 'DISCRETE_PAGINATION_LIMIT_EXCEEDED',
    })
  })

  test('If-Modified-Since selects the newer records; if there is no newer record, the answer is 304', async () => {
    const { call, add, setTime, control } = await emptied()
    await add('Leads', { Last_Name: 'Old' })
    setTime('2026-03-01T01:00:00Z')
    await add('Leads', { Last_Name: 'New' })
    const since = (instant: string) =>
      call('GET', '/crm/v8/Leads?fields=Last_Name', undefined, { 'if-modified-since': instant })
    expect((await since('2026-03-01T10:00:00+10:00')).rows).toEqual([expect.objectContaining({ Last_Name: 'New' })])
    expect((await since('2026-03-01T01:00:00Z')).status).toBe(304)
    await control('POST', '/sandbox/behaviour', { ifModifiedSinceInclusive: true })
    expect((await since('2026-03-01T01:00:00Z')).rows).toHaveLength(1)
  })

  test('a read of a missing record returns 204, or the status that a switch sets', async () => {
    const { call, control } = await emptied()
    expect((await call('GET', '/crm/v8/Leads/5400000000000999999')).status).toBe(204)
    await control('POST', '/sandbox/behaviour', { getMissing: '404' })
    expect(await call('GET', '/crm/v8/Leads/5400000000000999999')).toMatchObject({
      status: 404,
      body: { code: 'INVALID_DATA' },
    })
    expect((await call('GET', '/crm/v8/Leads/abc')).status).toBe(400)
  })

  test('an update of a missing record fails the whole request, or only that record if a switch says so', async () => {
    const { call, control } = await emptied()
    const update = () => call('PUT', '/crm/v8/Leads/5400000000000999999', { data: [{ Last_Name: 'New' }] })
    const refused = { code: 'INVALID_DATA', message: 'the id given seems to be invalid' }
    expect(await update()).toMatchObject({ status: 400, body: refused })
    await control('POST', '/sandbox/behaviour', { putMissing: 'item' })
    expect(await update()).toMatchObject({ status: 400, body: { data: [refused] } })
  })

  test('search finds records by criteria, email, phone and word, and count returns their number', async () => {
    const { call, add } = await emptied()
    await add('Leads', {
      Last_Name: 'Ash (Senior)',
      Company: 'Ash Pty Ltd',
      Email: 'ash+loans@x.example',
      Phone: '+61 2 5550 1000',
      Loan_Amount: 500,
    })
    await add('Leads', { Last_Name: 'Birch', Lead_Status: 'Contacted', Loan_Amount: 50 })
    const found = async (query: string) =>
      (await call('GET', `/crm/v8/Leads/search?${query}`)).rows.map((row) => row['Last_Name'])
    expect(await found('criteria=(Company:equals:Pty)')).toEqual(['Ash (Senior)'])
    expect(await found('criteria=((Last_Name:starts_with:B)and(Lead_Status:equals:Contacted))&')).toEqual(['Birch'])
    expect(await found('criteria=((Loan_Amount:between:10,100)or(Last_Name:equals:Ash%20%5C(Senior%5C)))')).toEqual([
      'Birch',
      'Ash (Senior)',
    ])
    expect(await found('criteria=(Created_Time:greater_than:2026-02-01T00:00:00+10:00)')).toHaveLength(2)
    expect(await found('email=ash+loans@x.example')).toEqual(['Ash (Senior)'])
    expect(await found('phone=25550')).toEqual(['Ash (Senior)'])
    expect(await found('word=birch')).toEqual(['Birch'])
    expect((await call('GET', '/crm/v8/Leads/search?word=nobody')).status).toBe(204)
    expect((await call('GET', '/crm/v8/Leads/search')).body).toMatchObject({ code: 'EXPECTED_PARAM_MISSING' })
    expect((await call('GET', '/crm/v8/Leads/search?criteria=(Nope:equals:1)')).body).toMatchObject({
      code: 'INVALID_QUERY',
    })
    expect((await call('GET', '/crm/v8/Leads/actions/count')).body).toEqual({ count: 2 })
    expect((await call('GET', '/crm/v8/Leads/actions/count?word=birch')).body).toEqual({ count: 1 })
  })
})

describe('addresses', () => {
  test.each([
    ['GET', '/crm/v8/Nowhere?fields=id', 400, 'INVALID_MODULE'],
    ['PATCH', '/crm/v8/Leads', 400, 'INVALID_REQUEST_METHOD'],
    ['GET', '/crm/v8/nothing/of/the/sort', 404, 'INVALID_URL_PATTERN'],
    ['GET', '/crm/v2/Leads?fields=id', 404, 'INVALID_URL_PATTERN'],
  ])('%s %s is refused', async (method, path, status, code) => {
    const { call } = await emptied()
    expect(await call(method, path)).toMatchObject({ status, body: { code } })
  })
})

describe('merging', () => {
  test.each([true, false])(
    'the records that stay name the master, with a new Modified_Time: %s, and the merged ones are in the bin',
    async (mergeBumpsReferring) => {
      const { call, add, control, setTime } = await emptied()
      await control('POST', '/sandbox/behaviour', { mergeBumpsReferring })
      const master = await add('Partners', { Name: 'Quayside' })
      const child = await add('Partners', { Name: 'Quayside Pty', Email: 'hello@quayside.example' })
      const lead = await add('Leads', { Last_Name: 'Ash', Partner: { id: child } })
      await call('POST', `/crm/v8/Partners/${child}/Notes`, { data: [{ Note_Content: 'Met them.' }] })
      setTime('2026-03-01T01:00:00Z')
      const merge = [{ data: [{ id: child, _fields: [{ api_name: 'Email' }] }] }]
      const merged = await call('POST', `/crm/v8/Partners/${master}/actions/merge`, { merge })
      expect(merged).toMatchObject({
        status: 200,
        body: { merge: [{ code: 'SUCCESS', details: { id: master }, status: 'success' }] },
      })
      expect((await call('GET', `/crm/v8/Partners/${master}?fields=Name,Email`)).rows).toMatchObject([
        { Name: 'Quayside', Email: 'hello@quayside.example' },
      ])
      expect((await call('GET', `/crm/v8/Leads/${lead}?fields=Partner,Modified_Time`)).rows).toMatchObject([
        {
          Partner: { id: master, name: 'Quayside' },
          Modified_Time: mergeBumpsReferring ? '2026-03-01T11:00:00+10:00' : '2026-03-01T10:00:00+10:00',
        },
      ])
      expect((await call('GET', `/crm/v8/Partners/${master}/Notes?fields=Note_Content`)).rows).toHaveLength(1)
      expect((await call('GET', '/crm/v8/Partners/deleted')).rows).toMatchObject([{ id: child }])
    },
  )

  test('a merge without a record, with more than two, with the master or an unknown one is refused', async () => {
    const { call, add } = await emptied()
    const ids = await Promise.all([1, 2, 3, 4].map((number) => add('Partners', { Name: `P${number}` })))
    const merge = async (children: (string | undefined)[]) =>
      call('POST', `/crm/v8/Partners/${ids[0]}/actions/merge`, { merge: [{ data: children.map((id) => ({ id })) }] })
    const code = async (children: (string | undefined)[]) => at((await merge(children)).body, 'merge.0.code')
    expect(await code([])).toBe('INVALID_DATA')
    expect(await code(ids.slice(1))).toBe('INVALID_DATA')
    expect(await code([ids[0]])).toBe('DUPLICATE_DATA')
    expect(await code(['1234567890123456789'])).toBe('MANDATORY_NOT_FOUND')
    const unknown = await call('POST', '/crm/v8/Partners/1234567890123456789/actions/merge', { merge: [{ data: [] }] })
    expect(unknown.body).toMatchObject({ code: 'INVALID_DATA', details: { resource_path_index: 1 } })
    expect((await call('GET', '/crm/v8/Partners/deleted')).status).toBe(204)
  })
})

test('a workflow sets values of the oldest records', async () => {
  const { call, add, control } = await emptied()
  for (const name of ['Ash', 'Birch', 'Cole']) await add('Leads', { Last_Name: name })
  const values = { Description: 'Touched' }
  expect((await control('POST', '/sandbox/workflow', { module: 'Leads', count: 2, values })).body).toEqual({ count: 2 })
  const rows = async () => (await call('GET', '/crm/v8/Leads?fields=Description&sort_order=asc')).rows
  expect((await rows()).map((row) => row['Description'])).toEqual(['Touched', 'Touched', null])
  await control('POST', '/sandbox/workflow', { module: 'Leads', values })
  expect((await rows()).map((row) => row['Description'])).toEqual(['Touched', 'Touched', 'Touched'])
})
