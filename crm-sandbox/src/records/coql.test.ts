import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { at, startTestSandbox, type TestSandbox } from '../test-sandbox.ts'

let sandbox: TestSandbox
let partner: string

beforeAll(async () => {
  sandbox = await startTestSandbox({ now: '2026-03-01T00:00:00Z' })
  partner = await sandbox.add('Partners', { Name: 'Quayside' })
  const other = await sandbox.add('Partners', { Name: 'Elsewhere' })
  const of = (id: string) => ({ Partner: { id } })
  await sandbox.add('Leads', {
    Last_Name: 'Ash',
    LOID: 'LO-00000001',
    Loan_Amount: 100,
    Lead_Status: 'New Lead',
    ...of(partner),
  })
  sandbox.setTime('2026-03-02T00:00:00Z')
  await sandbox.add('Leads', {
    Last_Name: "O'Brien",
    LOID: 'LO-00000002',
    Loan_Amount: 2_000,
    Lead_Status: 'Contacted',
    ...of(partner),
  })
  sandbox.setTime('2026-03-03T00:00:00Z')
  await sandbox.add('Leads', {
    Last_Name: 'Cole',
    LOID: 'LO-00000003',
    Lead_Status: 'Attempting To Contact',
    Owns_Property: true,
    ...of(other),
  })
})

afterAll(() => sandbox[Symbol.asyncDispose]())

const names = (where: string) => `select Last_Name from Leads where ${where} order by Last_Name`

describe('where', () => {
  test.each([
    ["Last_Name = 'Ash'", ['Ash']],
    ["Last_Name = 'ash'", ['Ash']],
    ["Last_Name != 'Ash'", ['Cole', "O'Brien"]],
    ["Last_Name = 'O''Brien'", ["O'Brien"]],
    ['Last_Name = "O\'Brien"', ["O'Brien"]],
    ['Loan_Amount > 100', ["O'Brien"]],
    ['Loan_Amount >= 100', ['Ash', "O'Brien"]],
    ['Loan_Amount < 2000', ['Ash']],
    ["Loan_Amount <= '2000'", ['Ash', "O'Brien"]],
    ['Loan_Amount between 50 and 150', ['Ash']],
    ['Loan_Amount not between 50 and 150', ["O'Brien"]],
    ['Loan_Amount is null', ['Cole']],
    ['Loan_Amount is not null', ['Ash', "O'Brien"]],
    ["LOID in ('LO-00000001', 'LO-00000003')", ['Ash', 'Cole']],
    ["LOID not in ('LO-00000001', 'LO-00000003')", ["O'Brien"]],
    ["Last_Name like '%o%'", ['Cole', "O'Brien"]],
    ["Last_Name not like '%o%'", ['Ash']],
    ['Owns_Property = true', ['Cole']],
    ["Modified_Time > '2026-03-02T10:00:00+10:00'", ['Cole']],
    ["Modified_Time >= '2026-03-02T10:00:00+10:00'", ['Cole', "O'Brien"]],
    ["Modified_Time >= '2026-03-02T00:00:00.000Z'", ['Cole', "O'Brien"]],
    ["Partner.Name = 'Quayside'", ['Ash', "O'Brien"]],
    ["Lead_Status = 'Attempting To Contact'", ['Cole']],
    ["Lead_Status = 'Attempted to Contact'", ['Cole']],
    ["Lead_Status like 'Attempting%'", ['Cole']],
    ["Last_Name = 'Ash' or Last_Name = 'Cole'", ['Ash', 'Cole']],
    ["(Last_Name = 'Ash' or Last_Name = 'Cole') and Loan_Amount is null", ['Cole']],
    ["((Last_Name = 'Ash' or Last_Name = 'Cole') and Loan_Amount is not null)", ['Ash']],
    ["((Loan_Amount between 1 and 9000 and Last_Name like 'A%') and id is not null)", ['Ash']],
  ])('finds leads where %s', async (where, expected) => {
    const { status, rows } = await sandbox.coql(names(where))
    expect([status, rows.map((row) => row['Last_Name'])]).toEqual([200, expected])
  })
})

test('a lookup is compared by its id, with and without .id, and shown with its name', async () => {
  for (const column of ['Partner', 'Partner.id']) {
    const { rows } = await sandbox.coql(
      `select Partner, Partner.Name from Leads where ${column} = '${partner}' order by id`,
    )
    expect(rows).toHaveLength(2)
    expect(rows[0]).toEqual({
      id: expect.stringMatching(/^\d{19}$/),
      Partner: { name: 'Quayside', id: partner },
      'Partner.Name': 'Quayside',
    })
  }
})

test.each([
  ['limit 2', ['Ash', 'Cole'], true],
  ['limit 1, 1', ['Cole'], true],
  ['limit 2 offset 1', ['Cole', "O'Brien"], false],
  ['limit 0, 2000', ['Ash', 'Cole', "O'Brien"], false],
])('a query with %s returns one page', async (limit, expected, more) => {
  const { rows, body } = await sandbox.coql(`${names('id is not null')} ${limit}`)
  expect(rows.map((row) => row['Last_Name'])).toEqual(expected)
  expect(body['info']).toEqual({ count: expected.length, more_records: more })
})

test('a query can order by several columns', async () => {
  const { rows } = await sandbox.coql(
    'select Last_Name from Leads where id is not null order by Owns_Property desc, Modified_Time asc',
  )
  expect(rows.map((row) => row['Last_Name'])).toEqual(['Cole', 'Ash', "O'Brien"])
})

test('a query can count and sum by group', async () => {
  const { rows } = await sandbox.coql(
    'select Partner.Name, count(id) as leads, sum(Loan_Amount) from Leads where id is not null group by Partner.Name order by leads desc',
  )
  expect(rows).toEqual([
    { 'Partner.Name': 'Quayside', leads: 2, 'SUM(Loan_Amount)': 2_100 },
    { 'Partner.Name': 'Elsewhere', leads: 1, 'SUM(Loan_Amount)': null },
  ])
})

test('a query that finds nothing is answered with 204 and no body', async () => {
  expect(await sandbox.coql(names("Last_Name = 'Nobody'"))).toMatchObject({ status: 204, body: {} })
})

test.each([
  ['select Last_Name from Leads', 'SYNTAX_ERROR'],
  ['select Last_Name from Leads where', 'SYNTAX_ERROR'],
  ["select Last_Name from Leads where Last_Name = 'a", 'SYNTAX_ERROR'],
  ["select Last_Name from Leads where Last_Name = 'a' and", 'SYNTAX_ERROR'],
  ["select Last_Name from Leads where Last_Name = 'a' and LOID = 'b' and id is not null", 'SYNTAX_ERROR'],
  ["select Last_Name from Leads where Last_Name = 'a' and LOID = 'b' or id is not null", 'SYNTAX_ERROR'],
  ['select Nope from Leads where id is not null', 'INVALID_QUERY'],
  ["select Last_Name from Leads where Nope = '1'", 'INVALID_QUERY'],
  ["select Last_Name from Leads where Modified_Time > 'yesterday'", 'INVALID_QUERY'],
  ["select Last_Name from Leads where Loan_Amount > 'much'", 'INVALID_QUERY'],
  ['select id from Nowhere where id is not null', 'INVALID_MODULE'],
  ['select id from Leads where id is not null limit 2001', 'LIMIT_EXCEEDED'],
  [`select id from Leads where id in (${Array.from({ length: 51 }, () => "'1'").join(',')})`, 'LIMIT_EXCEEDED'],
  ["select id from Leads where Last_Name = 'x'; drop table records", 'SYNTAX_ERROR'],
])('%s is refused', async (query, code) => {
  const { status, body } = await sandbox.coql(query)
  expect([status, at(body, 'code')]).toEqual([400, code])
})

test('unbracketed conditions pass when the switch allows them', async () => {
  await sandbox.control('POST', '/sandbox/behaviour', { coqlNeedsBracketsBeyondTwo: false })
  const { rows } = await sandbox.coql(names("Last_Name = 'Ash' and Loan_Amount = 100 and id is not null"))
  await sandbox.control('POST', '/sandbox/behaviour', { coqlNeedsBracketsBeyondTwo: null })
  expect(rows).toHaveLength(1)
})
