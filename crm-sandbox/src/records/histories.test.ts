import { afterAll, beforeAll, expect, test } from 'vitest'
import { at, startTestSandbox, type TestSandbox } from '../test-sandbox.ts'

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox({ now: '2026-03-01T00:00:00Z' })
})
afterAll(() => sandbox[Symbol.asyncDispose]())

const STAGE_FIELDS = 'Stage,Moved_To__s,Stage_Duration_Calendar_Days,Amount,Modified_Time,Modified_By'

test('every move of a deal adds a row to its stage history', async () => {
  const { call, add, control, setTime } = sandbox
  await control('POST', '/sandbox/reset')
  setTime('2026-03-01T00:00:00Z')
  const deal = await add('Deals', { Deal_Name: 'D', Stage: 'Information Received', Amount: 100 })
  setTime('2026-03-03T12:00:00Z')
  await call('PUT', `/crm/v8/Deals/${deal}`, { data: [{ Stage: 'Pending Approval' }] })
  await call('PUT', `/crm/v8/Deals/${deal}`, { data: [{ Amount: 200 }] })
  const history = () => call('GET', `/crm/v8/Deals/${deal}/Stage_History?fields=${STAGE_FIELDS}`)
  const by = { name: 'Portal API', id: '5400000000000200099' }
  const received = { Stage: 'Information Received', Moved_To__s: 'Pending Approval', Amount: 100 }
  const pending = {
    Stage: 'Pending Approval',
    Moved_To__s: null,
    Stage_Duration_Calendar_Days: null,
    Amount: 100,
    Modified_By: by,
  }
  expect((await history()).rows).toEqual([
    { id: expect.any(String), ...pending, Modified_Time: '2026-03-03T22:00:00+10:00' },
    {
      id: expect.any(String),
      ...received,
      Stage_Duration_Calendar_Days: 2,
      Modified_Time: '2026-03-01T10:00:00+10:00',
      Modified_By: by,
    },
  ])

  await control('POST', '/sandbox/behaviour', {
    stageHistoryTime: 'exit',
    recordsShow: 'actual',
    stageHistoryOnAmountEdit: true,
  })
  await call('PUT', `/crm/v8/Deals/${deal}`, { data: [{ Amount: 300 }] })
  const { rows } = await history()
  expect(rows.map((row) => row['Stage'])).toEqual(['Credit Review', 'Credit Review', 'Information Received'])
  expect(rows[2]).toMatchObject({ Modified_Time: '2026-03-03T22:00:00+10:00' })
})

test('the timeline shows who changed which field, with its old and new value', async () => {
  const { call, add, control, setTime, url } = sandbox
  await control('POST', '/sandbox/reset')
  setTime('2026-03-01T00:00:00Z')
  const lead = await add('Leads', { Last_Name: 'Ash', Lead_Status: 'New Lead' })
  setTime('2026-03-02T00:00:00Z')
  await fetch(`${url}/leads/${lead}/status`, {
    method: 'POST',
    body: new URLSearchParams({ status: 'Attempted to Contact' }),
  })
  setTime('2026-03-03T00:00:00Z')
  await call('POST', `/crm/v8/Leads/${lead}/actions/convert`, { data: [{}] })

  const { body } = await call('GET', `/crm/v8/Leads/${lead}/__timeline?include_inner_details=field_history.data_type`)
  const rows = body['__timeline']
  expect(
    Array.isArray(rows) && rows.map((row) => [at(row, 'action'), at(row, 'source'), at(row, 'done_by.name')]),
  ).toEqual([
    ['converted', 'convert', 'Portal API'],
    ['updated', 'crm_ui', 'Maya Thornton'],
    ['added', 'crm_api', 'Portal API'],
  ])
  expect(at(body, '__timeline.1')).toMatchObject({
    audited_time: '2026-03-02T10:00:00+10:00',
    record: { name: 'Ash', id: lead, module: { api_name: 'Leads' } },
    field_history: [
      { api_name: 'Lead_Status', _value: { old: 'New Lead', new: 'Attempting To Contact' }, data_type: 'picklist' },
    ],
  })

  const page = await call('GET', `/crm/v8/Leads/${lead}/__timeline?per_page=2&sort_order=asc`)
  const next = await call(
    'GET',
    `/crm/v8/Leads/${lead}/__timeline?sort_order=asc&page_token=${at(page.body, 'info.next_page_token')}`,
  )
  expect(at(next.body, '__timeline.0.action')).toBe('converted')
  expect((await call('GET', `/crm/v8/Leads/${lead}/__timeline?per_page=2&page_token=x`)).status).toBe(400)
  const filters = JSON.stringify({
    field: { api_name: 'audited_time' },
    comparator: 'between',
    value: ['2026-03-01T12:00:00+10:00', '2026-03-02T12:00:00+10:00'],
  })
  const filtered = await call('GET', `/crm/v8/Leads/${lead}/__timeline?filters=${encodeURIComponent(filters)}`)
  expect(at(filtered.body, 'info.count')).toBe(1)
})

test('notes can be added under Notes or a record, and listed for one record or, with If-Modified-Since, for all', async () => {
  const { call, add, control, setTime } = sandbox
  await control('POST', '/sandbox/reset')
  setTime('2026-03-01T00:00:00Z')
  const lead = await add('Leads', { Last_Name: 'Ash' })
  const parent = { module: { api_name: 'Leads' }, id: lead }
  const first = await call('POST', '/crm/v8/Notes', {
    data: [{ Parent_Id: parent, Note_Title: 'One' }, { Parent_Id: parent }, { Note_Title: 'x' }],
  })
  expect([first.status, first.rows.map((row) => row['code'])]).toEqual([
    207,
    ['SUCCESS', 'EXPECTED_FIELD_MISSING', 'MANDATORY_NOT_FOUND'],
  ])
  setTime('2026-03-02T00:00:00Z')
  expect((await call('POST', `/crm/v8/Leads/${lead}/Notes`, { data: [{ Note_Content: 'Two' }] })).status).toBe(201)

  const fields = 'Note_Title,Note_Content,Parent_Id,Owner,Created_Time'
  const { rows } = await call('GET', `/crm/v8/Leads/${lead}/Notes?fields=${fields}`)
  expect(rows.map((row) => [row['Note_Title'], row['Note_Content']])).toEqual([
    ['One', null],
    [null, 'Two'],
  ])
  expect(rows[0]).toMatchObject({
    Parent_Id: { module: { api_name: 'Leads', id: expect.any(String) }, name: 'Ash', id: lead },
    Owner: { name: 'Portal API', id: expect.any(String), email: expect.any(String) },
  })
  const since = { 'if-modified-since': '2026-03-01T00:00:00Z' }
  const newer = await call(
    'GET',
    `/crm/v8/Notes?fields=${fields}&sort_by=Modified_Time&sort_order=asc`,
    undefined,
    since,
  )
  expect(newer.rows.map((row) => row['Note_Content'])).toEqual(['Two'])
  const modified = async () =>
    (await call('GET', `/crm/v8/Leads/${lead}?fields=Modified_Time`)).rows[0]?.['Modified_Time']
  expect(await modified()).toBe('2026-03-01T10:00:00+10:00')
  await control('POST', '/sandbox/behaviour', { noteBumpsParent: true })
  await call('POST', `/crm/v8/Leads/${lead}/Notes`, { data: [{ Note_Content: 'Three' }] })
  expect(await modified()).toBe('2026-03-02T10:00:00+10:00')
})

test('the settings describe fields, picklists, pipeline, layouts, modules, users and the organisation', async () => {
  const { call } = sandbox
  const { body } = await call('GET', '/crm/v8/settings/fields?module=Deals')
  const fields = Array.isArray(body['fields']) ? body['fields'] : []
  const stage = fields.find((field) => at(field, 'api_name') === 'Stage')
  const values = at(stage, 'pick_list_values')
  expect(Array.isArray(values) && values.map((value) => at(value, 'display_value'))).toEqual(
    expect.arrayContaining([
      'Re-Engage',
      'Thrown To Kestrel Capital',
      'With Kestrel Capital',
      'Consumer Or Asset Deal',
      'Funded',
    ]),
  )
  expect(values).toContainEqual(
    expect.objectContaining({ display_value: 'Pending Approval', actual_value: 'Credit Review' }),
  )
  const picklist = await call('GET', `/crm/v8/settings/fields/${at(stage, 'id')}/pick_list_values?module=Deals`)
  expect(at(picklist.body, 'pick_list_values.0.id')).toBe(at(values, '0.id'))

  const layouts = await call('GET', '/crm/v8/settings/layouts?module=Deals')
  const pipeline = await call('GET', `/crm/v8/settings/pipeline?layout_id=${at(layouts.body, 'layouts.0.id')}`)
  const maps = at(pipeline.body, 'pipeline.0.maps')
  expect(maps).toContainEqual(expect.objectContaining({ display_value: 'Funded', forecast_type: 'Closed Won' }))
  expect((await call('GET', '/crm/v8/settings/pipeline')).body).toMatchObject({ code: 'REQUIRED_PARAM_MISSING' })

  expect(at((await call('GET', '/crm/v8/settings/modules')).body, 'modules')).toContainEqual(
    expect.objectContaining({ api_name: 'Partners', generated_type: 'custom' }),
  )
  expect(at((await call('GET', '/crm/v8/settings/related_lists?module=Deals')).body, 'related_lists.1.api_name')).toBe(
    'Stage_History',
  )
  expect(at((await call('GET', '/crm/v8/users?type=CurrentUser')).body, 'users.0.full_name')).toBe('Portal API')
  expect(at((await call('GET', '/crm/v8/org')).body, 'org.0.iso_code')).toBe('AUD')
})

test('staff ask the partner with a task, accept it, ask again and withdraw it; a conversion moves it', async () => {
  const { call, add, control, setTime, url } = sandbox
  await control('POST', '/sandbox/reset')
  setTime('2026-03-01T00:00:00Z')
  const lead = await add('Leads', { Last_Name: 'Ash', Company: 'Ash' })
  const post = (path: string, form: Record<string, string>) =>
    fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  await post(`/leads/${lead}/tasks`, { subject: 'Partner: statements', description: 'Three months', due: '2026-03-09' })
  const fields = 'Subject,Description,Due_Date,Status,What_Id,Who_Id,Modified_Time,$se_module'
  const list = async (path: string) => (await call('GET', `/crm/v8/${path}?fields=${fields}`)).rows
  const [task] = await list(`Leads/${lead}/Tasks`)
  expect(task).toMatchObject({
    Subject: 'Partner: statements',
    Description: 'Three months',
    Due_Date: '2026-03-09',
    Status: 'Not Started',
    What_Id: { id: lead, name: 'Ash' },
    Who_Id: null,
    $se_module: 'Leads',
  })
  const id = String(task?.['id'])
  const status = async () => (await list('Tasks'))[0]?.['Status']
  expect(await (await fetch(`${url}/leads/${lead}`)).text()).toContain('Partner: statements')
  await post(`/leads/${lead}/tasks/${id}`, { to: 'accept' })
  expect(await status()).toBe('Completed')
  setTime('2026-03-02T00:00:00Z')
  await post(`/leads/${lead}/tasks/${id}`, { to: 'again', description: 'They are old' })
  const query = "select id, Description from Tasks where Modified_Time > '2026-03-01T12:00:00+00:00' limit 0, 10"
  expect((await call('POST', '/crm/v8/coql', { select_query: query })).rows).toEqual([
    { id, Description: 'They are old' },
  ])
  await call('POST', `/crm/v8/Leads/${lead}/actions/convert`, {
    data: [{ Deals: { Deal_Name: 'D', Stage: 'Information Received', Closing_Date: '2026-04-01' } }],
  })
  const [moved] = await list('Tasks')
  expect(moved).toMatchObject({ $se_module: 'Deals', Modified_Time: '2026-03-02T10:00:00+10:00' })
  await post(`/deals/${String(at(moved, 'What_Id.id'))}/tasks/${id}`, { to: 'withdraw' })
  expect(await list('Tasks')).toEqual([])
  expect((await call('GET', '/crm/v8/Tasks/deleted')).rows).toMatchObject([{ id }])
})

test('switches rename the statuses of tasks, refuse ways to find them, and let a completed one make the next', async () => {
  const { add, call, control, url } = sandbox
  await control('POST', '/sandbox/reset')
  const lead = await add('Leads', { Last_Name: 'Ash', Company: 'Ash' })
  const tasks = async () =>
    (await call('GET', `/crm/v8/Leads/${lead}/Tasks?fields=Status,Due_Date`)).rows.map((row) => [
      row['Status'],
      row['Due_Date'],
    ])
  const byRecord = () => sandbox.coql(`select id from Tasks where What_Id = '${lead}'`)
  const id = await add('Tasks', {
    Subject: 'Rates',
    Status: 'Not Started',
    Due_Date: '2026-03-31',
    What_Id: { id: lead },
  })
  expect([(await byRecord()).status, (await call('GET', '/crm/v8/Tasks/deleted')).status]).toEqual([200, 204])
  const refusing = { coqlFindsTasksByRecord: false, tasksDeletedListed: false, completedTasksRecur: true }
  await control('POST', '/sandbox/behaviour', { ...refusing, taskStatuses: 'renamed' })
  expect(await byRecord()).toMatchObject({ status: 400, body: { code: 'INVALID_QUERY' } })
  expect(await call('GET', '/crm/v8/Tasks/deleted')).toMatchObject({ status: 400, body: { code: 'INVALID_MODULE' } })
  expect(await tasks()).toEqual([['Open', '2026-03-31']])
  await call('PUT', `/crm/v8/Tasks/${id}`, { data: [{ Status: 'Done' }] })
  expect(await tasks()).toEqual([
    ['Done', '2026-03-31'],
    ['Open', '2026-05-01'],
  ])
  await control('POST', '/sandbox/behaviour', { taskStatuses: 'own', completedTasksRecur: false })
  const body = new URLSearchParams({ to: 'accept' })
  await fetch(`${url}/leads/${lead}/tasks/${id}`, { method: 'POST', body, redirect: 'manual' })
  expect((await tasks())[0]).toEqual(['Finished', '2026-03-31'])
})
