import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { at, startTestSandbox, type TestSandbox } from '../test-sandbox.ts'

const FIELDS = 'File_Name,Size,Created_Time,Created_By,Parent_Id,$type,$link_url,$se_module'

let sandbox: TestSandbox
let lead: string
beforeAll(async () => {
  sandbox = await startTestSandbox({ now: '2026-03-01T00:00:00Z' })
})
beforeEach(async () => {
  await sandbox.control('POST', '/sandbox/reset')
  sandbox.setTime('2026-03-01T00:00:00Z')
  lead = await sandbox.add('Leads', { Last_Name: 'Ash', Company: 'Ash' })
})
afterAll(() => sandbox[Symbol.asyncDispose]())

const behave = (switches: object) => sandbox.control('POST', '/sandbox/behaviour', switches)
const list = async (path: string) => (await sandbox.call('GET', `/crm/v8/${path}/Attachments?fields=${FIELDS}`)).rows

async function upload(content: string, name = 'bank.txt', of = `Leads/${lead}`) {
  const form = new FormData()
  form.append('file', new Blob([content]), name)
  const headers = { authorization: `Zoho-oauthtoken ${sandbox.token}` }
  const answer = await fetch(`${sandbox.url}/crm/v8/${of}/Attachments`, { method: 'POST', body: form, headers })
  const body: unknown = await answer.json()
  return { status: answer.status, code: at(body, 'code') ?? at(body, 'data.0.code'), id: at(body, 'data.0.details.id') }
}

test('a file is attached, listed with its size as text, downloaded and deleted', async () => {
  expect(await list(`Leads/${lead}`)).toEqual([])
  const { id, ...stored } = await upload('Balance: 12', 'März “2026”.txt')
  expect(stored).toEqual({ status: 200, code: 'SUCCESS' })
  expect(await list(`Leads/${lead}`)).toMatchObject([
    { id, File_Name: 'März “2026”.txt', Size: '11', $type: 'Attachment', Parent_Id: { id: lead }, $se_module: 'Leads' },
  ])
  const headers = { authorization: `Zoho-oauthtoken ${sandbox.token}` }
  const file = await fetch(`${sandbox.url}/crm/v8/Leads/${lead}/Attachments/${String(id)}`, { headers })
  expect([file.headers.get('content-type'), await file.text()]).toEqual([
    'application/octet-stream;charset=UTF-8',
    'Balance: 12',
  ])
  expect((await sandbox.call('DELETE', `/crm/v8/Leads/${lead}/Attachments/${String(id)}`)).rows).toMatchObject([
    { code: 'SUCCESS', details: { id } },
  ])
  expect((await sandbox.call('GET', `/crm/v8/Leads/${lead}/Attachments/${String(id)}`)).status).toBe(204)
  expect((await sandbox.call('GET', `/crm/v8/Leads/${lead}/Attachments`)).body['code']).toBe('REQUIRED_PARAM_MISSING')
})

test('a link is listed, but cannot be downloaded', async () => {
  const link = 'attachmentUrl=https%3A%2F%2Flender.example%2Fform&title=Form'
  await sandbox.call('POST', `/crm/v8/Leads/${lead}/Attachments?${link}`)
  const [one] = await list(`Leads/${lead}`)
  expect(one).toMatchObject({ File_Name: 'Form', Size: '0', $type: 'Link', $link_url: 'https://lender.example/form' })
  expect((await sandbox.call('GET', `/crm/v8/Leads/${lead}/Attachments/${String(one?.['id'])}`)).status).toBe(400)
})

test('a file that is too large, holds a virus, or finds the storage full or the record in the bin is refused', async () => {
  await behave({ attachmentBytesMax: 10 })
  expect(await upload('x'.repeat(11))).toMatchObject({ status: 413, code: 'FILE_SIZE_MORE_THAN_ALLOWED_SIZE' })
  await behave({ attachmentBytesMax: null, fileStorageBytesMax: 0 })
  expect(await upload('x')).toMatchObject({ status: 400, code: 'STORAGE_LIMIT_EXCEEDED' })
  await behave({ fileStorageBytesMax: null })
  expect(await upload('$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!')).toMatchObject({ status: 400, code: 'VIRUS_DETECTED' })
  expect(await upload('MZ', 'setup.exe')).toMatchObject({ status: 400, code: 'INVALID_DATA' })
  expect(await upload('x')).toMatchObject({ status: 200 })
  await sandbox.call('DELETE', `/crm/v8/Leads/${lead}`)
  expect(await upload('x')).toMatchObject({ status: 400, code: 'INVALID_DATA' })
  await fetch(`${sandbox.url}/recycle-bin/${lead}/restore`, { method: 'POST', redirect: 'manual' })
  expect(await list(`Leads/${lead}`)).toHaveLength(1)
})

test('the answer to an upload can be lost after the file was stored', async () => {
  await sandbox.control('POST', '/sandbox/faults', { resetAfterCommit: { times: 1, match: 'Attachments' } })
  await expect(upload('x')).rejects.toThrow('fetch failed')
  expect(await list(`Leads/${lead}`)).toHaveLength(1)
})

test('switches decide what an attachment changes, who lists them all, and where a conversion leaves them', async () => {
  sandbox.setTime('2026-03-02T00:00:00Z')
  const modified = async () => (await sandbox.call('GET', `/crm/v8/Leads/${lead}`)).rows[0]?.['Modified_Time']
  const before = await modified()
  await upload('x')
  expect(await modified()).toBe(before)
  await behave({ attachmentBumpsParent: true })
  await upload('y')
  expect(await modified()).not.toBe(before)
  const all = () => sandbox.call('GET', `/crm/v8/Attachments?fields=${FIELDS}`)
  expect((await all()).body['code']).toBe('INVALID_MODULE')
  await behave({ attachmentsOfOrganisation: 'listed', conversionMovesAttachments: 'deal' })
  expect((await all()).rows).toHaveLength(2)
  const deal = { Deal_Name: 'D', Stage: 'Information Received', Closing_Date: '2026-04-01' }
  const converted = await sandbox.call('POST', `/crm/v8/Leads/${lead}/actions/convert`, { data: [{ Deals: deal }] })
  expect(await list(`Leads/${lead}`)).toEqual([])
  expect(await list(`Deals/${String(at(converted.body, 'data.0.details.Deals.id'))}`)).toHaveLength(2)
})

test('what staff change while a file arrives stays', async () => {
  await behave({ attachmentBumpsParent: true })
  const { call, token, url } = sandbox
  async function* file() {
    yield Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="bank.txt"\r\n\r\nBalance')
    await call('PUT', `/crm/v8/Leads/${lead}`, { data: [{ Company: 'Renamed' }] })
    yield Buffer.from(': 12\r\n--x--\r\n')
  }
  const headers = { authorization: `Zoho-oauthtoken ${token}`, 'content-type': 'multipart/form-data; boundary=x' }
  const upload = { method: 'POST', body: ReadableStream.from(file()), duplex: 'half', headers } as const
  expect((await fetch(`${url}/crm/v8/Leads/${lead}/Attachments`, upload)).status).toBe(200)
  expect((await call('GET', `/crm/v8/Leads/${lead}`)).rows).toMatchObject([{ Company: 'Renamed' }])
})

test('staff attach a file on the page, open it and delete it', async () => {
  const form = new FormData()
  form.append('file', new Blob(['Approved']), 'Partner letter.txt')
  const page = `${sandbox.url}/leads/${lead}`
  expect((await fetch(`${page}/attachments`, { method: 'POST', body: form, redirect: 'manual' })).status).toBe(303)
  const [one] = await list(`Leads/${lead}`)
  expect(one).toMatchObject({ File_Name: 'Partner letter.txt', Created_By: { name: 'Maya Thornton' } })
  expect(await (await fetch(page)).text()).toContain('Partner letter.txt')
  expect(await (await fetch(`${page}/attachments/${String(one?.['id'])}`)).text()).toBe('Approved')
  await fetch(`${page}/attachments/${String(one?.['id'])}/delete`, { method: 'POST', redirect: 'manual' })
  expect(await list(`Leads/${lead}`)).toEqual([])
})
