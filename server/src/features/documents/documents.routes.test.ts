import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pullDocumentsLater } from '../../crm/pull/pull-documents.ts'
import { runSweep } from '../../crm/pull/sweep/sweep.job.ts'
import { pushDocument } from '../../crm/push/push-document.job.ts'
import { removeDocument } from '../../crm/push/remove-document.job.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import {
  addColleague,
  confirmEmail,
  startPortal,
  type TestPartner,
  type TestPortal,
} from '../../testing/start-portal.ts'
import { sendPart, sha256, upload } from '../../testing/upload.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { endRestingUploads } from './end-resting-uploads.job.ts'

let portal: TestPortal
let lender: Lender
let ada: TestPartner
beforeAll(async () => {
  portal = await startPortal({ withCrm: true })
  lender = openLender(portal.crmUrl)
  ada = await portal.newPartner()
  await confirmEmail(portal, ada)
})
afterAll(() => portal[Symbol.asyncDispose]())

const PDF = '%PDF-1.7\n'
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const documentsOf = async (loid: string) => (await ada.get(`/crm/documents/${loid}`)).body.data.documents

/** What the lead's timeline says of its documents. */
async function toldDocuments(loid: string): Promise<string[]> {
  const { entries } = (await ada.get(`/crm/lead/${loid}/timeline`)).body.data
  return entries.flatMap(({ type, text }: { type: string; text: string }) => (type === 'document' ? [text] : []))
}

/** A lead that the CRM has, with its id there. */
async function pushedLead() {
  const { loid } = await ada.submitLead()
  await ada.pushedLead(loid)
  const id = String((await lender.list('Leads', 'LOID')).find((one) => one['LOID'] === loid)?.['id'])
  return { loid, id }
}

async function synced(loid: string, name: string) {
  return waitFor(`${name} in the CRM`, async () =>
    (await documentsOf(loid)).find(
      (one: { name: string; state: string }) => one.name === name && one.state === 'synced',
    ),
  )
}

async function open(id: string, token = ada.token) {
  const headers = { authorization: `Bearer ${token}` }
  return fetch(`${portal.url}/api/crm/document/${id}/content`, { headers })
}

test('a file of several parts, sent out of order and twice, arrives once and whole, and leaves the portal', async () => {
  const { loid, id: zohoId } = await pushedLead()
  const content = new Uint8Array(Buffer.concat([Buffer.from(PDF), randomBytes(2_500_000)]))
  const file = { name: 'C:\\scans\\bank.pdf', size: content.byteLength, sha256: sha256(content) }
  const begun = (await ada.post(`/crm/documents/${loid}`, file)).body.data
  expect(begun).toMatchObject({ document: { name: 'bank.pdf', state: 'uploading' }, parts: [] })
  const { id } = begun.document
  const send = (number: number) =>
    sendPart(portal, ada.token, { id, number, content: content.subarray(number * 1_048_576, (number + 1) * 1_048_576) })
  for (const number of [2, 0, 0]) expect(await send(number)).toBe(200)
  expect(await sendPart(portal, ada.token, { id, number: 1, content: bytes('short') })).toBe(400)
  expect(await send(3)).toBe(400)
  expect((await ada.post(`/crm/document/${id}/complete`)).status).toBe(409)
  // The browser asks again which parts are there.
  expect((await ada.post(`/crm/documents/${loid}`, file)).body.data.parts).toEqual([0, 2])
  expect(await send(1)).toBe(200)
  for (let time = 0; time < 2; time++) {
    const { document } = (await ada.post(`/crm/document/${id}/complete`)).body.data
    expect(document).toMatchObject({ name: 'bank.pdf', problem: null, added_by: expect.any(String) })
  }
  expect(await send(1)).toBe(409)
  await synced(loid, 'bank.pdf')
  const [stored] = await lender.attachments('Leads', zohoId)
  expect(stored?.name).toBe('bank.pdf')
  expect(sha256(await lender.openAttachment('Leads', zohoId, stored?.id ?? ''))).toBe(file.sha256)
  expect(
    await portal.deps.db.selectFrom('document_parts').select('number').where('document_id', '=', id).execute(),
  ).toEqual([])
  // The same content again is the same document.
  expect((await upload(portal, ada, { loid, name: 'again.pdf', content })).body.data.document.id).toBe(id)
  const opened = await open(id)
  expect(Object.fromEntries(opened.headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': "attachment; filename*=UTF-8''bank.pdf",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  expect(sha256(new Uint8Array(await opened.arrayBuffer()))).toBe(file.sha256)
  const log = (await ada.get('/security-log?type=documents')).body.data.entries
  expect(log.map((one: { event: string; detail: string }) => [one.event, one.detail])).toEqual([
    ['document-opened', loid],
    ['document-uploaded', loid],
  ])
  const { entries } = (await ada.get(`/crm/lead/${loid}/timeline`)).body.data
  expect(entries.filter((one: { type: string }) => one.type === 'document')).toMatchObject([{ text: 'bank.pdf' }])
})

test('a file goes through a process that only answers, a second one goes on, and a worker pushes it', async () => {
  await using web = await startPortal({ on: portal, env: { ROLE: 'web' } })
  const { loid, id: zohoId } = await pushedLead()
  const content = new Uint8Array(Buffer.concat([Buffer.from(PDF), randomBytes(1_500_000)]))
  const file = { name: 'two.pdf', size: content.byteLength, sha256: sha256(content) }
  const ask = (path: string, body?: object) => web.ask('POST', path, { token: ada.token, body })
  const { id } = (await ask(`/crm/documents/${loid}`, file)).body.data.document
  for (const [number, on] of [portal, web].entries()) {
    const part = content.subarray(number * 1_048_576, (number + 1) * 1_048_576)
    expect(await sendPart(on, ada.token, { id, number, content: part })).toBe(200)
  }
  expect((await ask(`/crm/document/${id}/complete`)).status).toBe(200)
  await synced(loid, 'two.pdf')
  const [stored] = await lender.attachments('Leads', zohoId)
  expect(sha256(await lender.openAttachment('Leads', zohoId, stored?.id ?? ''))).toBe(file.sha256)
})

test('nothing replaces a part once it is there, so the lender gets what was judged', async () => {
  const { loid } = await pushedLead()
  const content = bytes(`${PDF}${randomBytes(1_000).toString('hex')}`)
  const program = content.slice()
  program.set(bytes('MZ'))
  const file = { name: 'swapped.pdf', size: content.byteLength, sha256: sha256(content) }
  const { id } = (await ada.post(`/crm/documents/${loid}`, file)).body.data.document
  expect(await sendPart(portal, ada.token, { id, number: 0, content })).toBe(200)
  expect(await sendPart(portal, ada.token, { id, number: 0, content: program })).toBe(200)
  expect((await ada.post(`/crm/document/${id}/complete`)).body.data.document).toMatchObject({ problem: null })
  await synced(loid, 'swapped.pdf')
  expect(sha256(new Uint8Array(await (await open(id)).arrayBuffer()))).toBe(file.sha256)
})

test('an answer that was lost, or that never came, sends no file twice; equal names become unlike', async () => {
  const { loid, id } = await pushedLead()
  await lender.faults({ resetAfterCommit: { times: 1, match: `POST /crm/v8/Leads/${id}/Attachments` } })
  await upload(portal, ada, { loid, name: 'bank.txt', content: bytes('March: 12') })
  await synced(loid, 'bank.txt')
  await lender.faults({ resetBefore: { times: 1, match: `GET /crm/v8/Leads/${id}/Attachments` } })
  await upload(portal, ada, { loid, name: 'BANK.txt', content: bytes('April: 13') })
  await synced(loid, 'BANK.txt')
  const names = (await lender.attachments('Leads', id)).map(({ name }) => name)
  expect(names.toSorted()).toEqual(['BANK (2).txt', 'bank.txt'])
  await lender.faults({})
})

test('what the CRM refuses of a file is said on the file; a full storage waits', async () => {
  const { loid } = await pushedLead()
  const problemOf = (name: string) =>
    waitFor(`the problem of ${name}`, async () => {
      const found = (await documentsOf(loid)).find((one: { name: string }) => one.name === name)
      return found?.problem ? [found.state, found.problem] : undefined
    })
  await lender.behaviour({ attachmentBytesMax: 5 })
  await upload(portal, ada, { loid, name: 'large.txt', content: bytes('six bytes') })
  expect(await problemOf('large.txt')).toEqual(['failed', 'The file is too large for the lender’s CRM.'])
  await lender.behaviour({ attachmentBytesMax: null, fileStorageBytesMax: 0 })
  await upload(portal, ada, { loid, name: 'full.txt', content: bytes('no room') })
  expect((await problemOf('full.txt'))[0]).toBe('pending')
  await lender.behaviour({ fileStorageBytesMax: null })
  await upload(portal, ada, { loid, name: 'virus.txt', content: bytes('EICAR-STANDARD-ANTIVIRUS-TEST-FILE') })
  expect(await problemOf('virus.txt')).toEqual(['failed', 'The lender’s CRM found a virus in the file.'])
})

test.each([
  ['before the portal sees that', false],
  ['after the portal has seen that', true],
])(
  'a file whose record staff delete waits with it, and is sent when staff restore the record %s',
  async (_, isSeen) => {
    const { loid, id } = await pushedLead()
    const sweep = () => runSweep(portal.deps, AbortSignal.timeout(30_000))
    await lender.remove('Leads', id)
    const sent = await upload(portal, ada, { loid, name: 'bin.txt', content: bytes('in the bin') })
    const payload = { partnerId: ada.id, documentId: String(sent.body.data.document.id) }
    const waits = {
      state: 'pending',
      problem: 'The lender has removed the record. The file is sent if the record comes back.',
    }
    await waitFor('the problem of the file', async () => (await documentsOf(loid))[0].problem)
    expect(await documentsOf(loid)).toMatchObject([waits])
    if (isSeen) {
      await sweep()
      await waitFor('the lead to go', async () => (await ada.get(`/crm/lead/${loid}`)).status === 404)
      await pushDocument.giveUp?.(portal.deps, payload)
    }
    await lender.restore(id)
    if (isSeen) await sweep()
    else await pushDocument.run(portal.deps, payload, AbortSignal.timeout(30_000))
    await synced(loid, 'bin.txt')
    expect((await lender.attachments('Leads', id)).map(({ name }) => name)).toEqual(['bin.txt'])
  },
)

test('a file that the CRM refuses for a reason of its own waits for as long as the reason lasts (D125)', async () => {
  const { loid } = await pushedLead()
  await lender.faults({ failEvery: { n: 1, status: 410, code: 'API_VERSION_RETIRED', match: '/Attachments' } })
  const sent = await upload(portal, ada, { loid, name: 'bank.txt', content: bytes('March: 12') })
  const payload = { partnerId: ada.id, documentId: String(sent.body.data.document.id) }
  const waiting = { state: 'pending', problem: 'The lender’s CRM has not taken it yet. Nothing is lost.' }
  await waitFor('the problem of the file', async () => (await documentsOf(loid))[0].problem)
  expect(await documentsOf(loid)).toMatchObject([waiting])
  await lender.faults({})
  await pushDocument.giveUp?.(portal.deps, payload)
  await synced(loid, 'bank.txt')
  expect(await documentsOf(loid)).toMatchObject([{ problem: null }])
})

test('a file answers what the lender asks, and the request is open again when the file is taken back', async () => {
  const { loid, id } = await pushedLead()
  await runSweep(portal.deps, AbortSignal.timeout(30_000))
  await lender.create('Tasks', { Subject: 'Partner: Rates notice', Status: 'Not Started', What_Id: { id } })
  await runSweep(portal.deps, AbortSignal.timeout(30_000))
  const request = async () => (await ada.get(`/crm/lead/${loid}`)).body.data.requests[0]
  const requestId = (await request()).id
  const { document } = (await upload(portal, ada, { loid, name: 'notice.txt', content: bytes('Rates: 9'), requestId }))
    .body.data
  expect(document).toMatchObject({ request_id: requestId, take_back_until: expect.any(String) })
  expect((await request()).state).toBe('sent')
  await synced(loid, 'notice.txt')
  expect((await lender.attachments('Leads', id)).map(({ name }) => name)).toEqual(['Rates notice – notice.txt'])
  const events = await portal.deps.db
    .selectFrom('events')
    .select('type')
    .where('loid', '=', loid)
    .orderBy('id')
    .execute()
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['request.answered', 'document.added']))

  const colleague = await addColleague(portal, ada, 'member')
  expect((await colleague.delete(`/crm/document/${document.id}`)).status).toBe(409)
  expect((await ada.delete(`/crm/document/${document.id}`)).status).toBe(200)
  expect((await request()).state).toBe('asked')
  expect(await documentsOf(loid)).toEqual([])
  expect(await toldDocuments(loid)).toEqual(['notice.txt (taken back)'])
  await waitFor('the file to leave the CRM', async () => (await lender.attachments('Leads', id)).length === 0)
  expect((await open(document.id)).status).toBe(404)
})

test('a file that was sent before answers no request, and says so; one that was only begun answers it', async () => {
  const { loid, id } = await pushedLead()
  await runSweep(portal.deps, AbortSignal.timeout(30_000))
  await upload(portal, ada, { loid, name: 'bank.txt', content: bytes('March: 1') })
  const begun = bytes('April: 2')
  const unfinished = { name: 'april.txt', size: begun.byteLength, sha256: sha256(begun) }
  const { document } = (await ada.post(`/crm/documents/${loid}`, unfinished)).body.data
  const asked = { Subject: 'Partner: Bank statements', Status: 'Not Started', What_Id: { id } }
  const task = await lender.create('Tasks', asked)
  await runSweep(portal.deps, AbortSignal.timeout(30_000))
  const request = async () => (await ada.get(`/crm/lead/${loid}`)).body.data.requests[0]
  const requestId = (await request()).id
  const refused = await upload(portal, ada, { loid, name: 'again.txt', content: bytes('March: 1'), requestId })
  expect([refused.status, refused.body.error]).toEqual([
    409,
    'This file was sent already, as “bank.txt”. Reply in words, or choose another file.',
  ])
  expect((await request()).state).toBe('asked')
  const sent = await upload(portal, ada, { loid, name: 'april.txt', content: begun, requestId })
  expect(sent.body.data.document).toMatchObject({ id: document.id, request_id: requestId })
  expect((await request()).state).toBe('sent')

  await waitFor('the answer in the CRM', async () => (await lender.read('Tasks', task))?.['Status'] === 'In Progress')
  await lender.update('Tasks', task, { Status: 'Completed' })
  await runSweep(portal.deps, AbortSignal.timeout(30_000))
  expect((await request()).state).toBe('accepted')
  const late = { name: 'may.txt', size: begun.byteLength, sha256: sha256(bytes('May: 3.0')) }
  await ada.post(`/crm/documents/${loid}`, late)
  expect((await ada.post(`/crm/documents/${loid}`, { ...late, request_id: requestId })).status).toBe(409)
})

test('a file can be taken back while it is judged', async () => {
  const { loid } = await pushedLead()
  const content = new Uint8Array(Buffer.alloc(12 * 1_048_576, 'March: 12\n'))
  const file = { name: 'long.txt', size: content.byteLength, sha256: sha256(content) }
  const { id } = (await ada.post(`/crm/documents/${loid}`, file)).body.data.document
  for (let number = 0; number < 12; number++) {
    await sendPart(portal, ada.token, {
      id,
      number,
      content: content.subarray(number * 1_048_576, (number + 1) * 1_048_576),
    })
  }
  const completing = ada.post(`/crm/document/${id}/complete`)
  await ada.get('/profile')
  expect((await ada.delete(`/crm/document/${id}`)).status).toBe(200)
  expect([200, 404]).toContain((await completing).status)
})

test('a request is open again when no file that answers it is left, because each was taken back or refused', async () => {
  const { loid, id } = await pushedLead()
  const look = () => runSweep(portal.deps, AbortSignal.timeout(30_000))
  await look()
  await lender.create('Tasks', { Subject: 'Partner: Bank statements', Status: 'Not Started', What_Id: { id } })
  await look()
  const request = async () => (await ada.get(`/crm/lead/${loid}`)).body.data.requests[0]
  const requestId = (await request()).id
  const send = async (name: string, content: string) =>
    (await upload(portal, ada, { loid, name, content: bytes(content), requestId })).body.data.document.id
  const [march, april] = [await send('march.txt', 'March: 1'), await send('april.txt', 'April: 2')]
  expect((await ada.delete(`/crm/document/${march}`)).status).toBe(200)
  expect((await request()).state).toBe('sent')
  expect((await ada.delete(`/crm/document/${april}`)).status).toBe(200)
  expect((await request()).state).toBe('asked')

  await send('may.txt', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE')
  await waitFor('the file to be refused', async () => (await documentsOf(loid))[0].state === 'failed')
  expect((await request()).state).toBe('asked')
  await look()
  expect((await request()).state).toBe('asked')
  const { items } = (await ada.get('/dashboard/attention')).body.data
  expect(items.filter((one: { loid: string }) => one.loid === loid)).toMatchObject([{ request: { id: requestId } }])
})

test('a request that was asked again is asked again, also after the next sweep, when its new answer is taken back', async () => {
  const { loid, id } = await pushedLead()
  const look = () => runSweep(portal.deps, AbortSignal.timeout(30_000))
  await look()
  const asked = { Subject: 'Partner: Bank statements', Status: 'Not Started', What_Id: { id } }
  const task = await lender.create('Tasks', asked)
  await look()
  const request = async () => (await ada.get(`/crm/lead/${loid}`)).body.data.requests[0]
  const requestId = (await request()).id
  await ada.post(`/crm/request/${requestId}/answer`, { content: 'They are attached.' })
  const { answered_at } = await request()
  await waitFor('the answer in the CRM', async () => (await lender.read('Tasks', task))?.['Status'] === 'In Progress')
  // The CRM tells times in whole seconds.
  await waitFor('a later second', async () => Math.floor(Date.now() / 1_000) * 1_000 > Date.parse(answered_at) + 1_000)
  await lender.update('Tasks', task, { Description: 'Nobody can read them' })
  await look()
  const again = { state: 'again', answered_at, reason: 'Nobody can read them' }
  expect(await request()).toMatchObject(again)
  const sent = await upload(portal, ada, { loid, name: 'march.txt', content: bytes('March: 1'), requestId })
  expect((await request()).state).toBe('sent')
  await ada.delete(`/crm/document/${sent.body.data.document.id}`)
  expect(await request()).toMatchObject(again)
  await look()
  expect(await request()).toMatchObject(again)
})

test('limits, other partners, viewers and unverified partners are refused in words', async () => {
  const { loid } = await pushedLead()
  const file = { name: 'a.txt', size: 5, sha256: 'a'.repeat(64) }
  expect(await ada.post(`/crm/documents/${loid}`, { ...file, size: 26 * 1024 * 1024 })).toMatchObject({
    status: 413,
    body: { error: 'The file is larger than 25 MB.' },
  })
  const { id } = (await ada.post(`/crm/documents/${loid}`, file)).body.data.document
  // A person sends at most 100 MB at a time, a partner 200 MB.
  const member = await addColleague(portal, ada, 'member')
  const third = await addColleague(portal, ada, 'member')
  const begin = async (by: Pick<TestPartner, 'post'>, count: number) => {
    const large = { ...file, size: 25 * 1024 * 1024, sha256: count.toString(16).repeat(64) }
    return (await by.post(`/crm/documents/${loid}`, large)).body
  }
  for (let count = 0; count < 3; count++) expect((await begin(ada, count)).success).toBe(true)
  expect((await begin(ada, 3)).error).toMatch(/^You would be sending more than 100 MB at a time/)
  for (let count = 3; count < 7; count++) expect((await begin(member, count)).success).toBe(true)
  expect((await begin(third, 7)).error).toMatch(/would be more than 200 MB/)
  const bob = await portal.newPartner()
  expect((await bob.post(`/crm/documents/${(await bob.submitLead()).loid}`, file)).body.code).toBe('CONFIRM_EMAIL')
  const viewer = await addColleague(portal, ada, 'viewer')
  const content = bytes('hello')
  expect(await sendPart(portal, bob.token, { id, number: 0, content })).toBe(404)
  expect(await sendPart(portal, viewer.token, { id, number: 0, content })).toBe(403)
  expect(await sendPart(portal, 'x'.repeat(43), { id, number: 0, content })).toBe(401)
  expect((await open(id, bob.token)).status).toBe(404)
  expect((await viewer.get(`/crm/documents/${loid}`)).status).toBe(200)
  expect(await sendPart(portal, ada.token, { id, number: 0, content })).toBe(200)
  expect((await ada.post(`/crm/document/${id}/complete`)).body.data.document.problem).toBe(
    'The file changed while it was sent. Choose it again.',
  )
})

test('an upload whose session, right or account ends in between keeps its parts, sends nothing, and goes on', async () => {
  const { loid, id: zohoId } = await pushedLead()
  const member = await addColleague(portal, ada, 'member')
  const change = (body: object) => ada.put(`/team/people/${member.id}`, body)
  const content = new Uint8Array(Buffer.concat([Buffer.from(PDF), randomBytes(1_500_000)]))
  const file = { name: 'half.pdf', size: content.byteLength, sha256: sha256(content) }
  const begin = async (token: string) =>
    (await portal.ask('POST', `/crm/documents/${loid}`, { token, body: file })).body.data
  const { id } = (await begin(member.token)).document
  const send = (token: string, number: number) =>
    sendPart(portal, token, { id, number, content: content.subarray(number * 1_048_576, (number + 1) * 1_048_576) })
  const goOn = async (token: string) => [
    await send(token, 1),
    (await portal.ask('POST', `/crm/document/${id}/complete`, { token })).status,
  ]
  expect(await send(member.token, 0)).toBe(200)

  await member.post('/auth/logout')
  expect(await goOn(member.token)).toEqual([401, 401])
  const { token } = (await portal.post('/auth/login', { email: member.email, password: member.password })).body
  expect((await begin(token)).parts).toEqual([0])

  await change({ role: 'viewer' })
  expect(await goOn(token)).toEqual([403, 403])
  await change({ role: 'member' })
  expect(await send(token, 1)).toBe(200)

  await change({ is_active: false })
  expect(await goOn(token)).toEqual([401, 401])
  expect((await documentsOf(loid)).map(({ state }: { state: string }) => state)).toEqual(['uploading'])
  expect(await lender.attachments('Leads', zohoId)).toEqual([])
  // A colleague with the same file has nothing to send again.
  expect((await begin(ada.token)).parts).toEqual([0, 1])
  expect((await ada.post(`/crm/document/${id}/complete`)).status).toBe(200)
  await synced(loid, 'half.pdf')
  const [stored] = await lender.attachments('Leads', zohoId)
  expect(sha256(await lender.openAttachment('Leads', zohoId, stored?.id ?? ''))).toBe(file.sha256)
})

test('an upload that nobody continues gives back its room within the hour, and begins again; only what has arrived takes room from others', async () => {
  const { loid } = await pushedLead()
  const content = new Uint8Array(Buffer.concat([Buffer.from(PDF), randomBytes(2_000_000)]))
  const file = { name: 'rest.pdf', size: content.byteLength, sha256: sha256(content) }
  const begin = async () => (await ada.post(`/crm/documents/${loid}`, file)).body.data
  const { id } = (await begin()).document
  const send = (number: number) =>
    sendPart(portal, ada.token, { id, number, content: content.subarray(number * 1_048_576, (number + 1) * 1_048_576) })
  const arrived = async () => {
    const rows = await portal.deps.db.selectFrom('documents').select('arrived').where('id', '=', id).execute()
    return rows[0]?.arrived
  }
  expect(await arrived()).toBe(0)
  for (const number of [0, 0]) expect(await send(number)).toBe(200)
  expect(await arrived()).toBe(1_048_576)
  const end = () => endRestingUploads.run(portal.deps, {}, AbortSignal.timeout(30_000), '')
  portal.advance(59 * 60_000)
  await end()
  expect((await begin()).parts).toEqual([0])
  expect(await send(1)).toBe(200)
  portal.advance(59 * 60_000)
  await end()
  expect((await begin()).parts).toEqual([0, 1])
  portal.advance(2 * 60_000)
  await end()
  expect(await arrived()).toBe(0)
  expect((await begin()).parts).toEqual([])

  // All the room is taken by files that others have sent.
  const others = portal.deps.db.updateTable('documents').where('state', '=', 'uploading').where('id', '<>', id)
  const eve = await portal.newPartner()
  await insertUploads(eve.id)
  expect(await send(0)).toBe(503)
  await others.set({ arrived: 0 }).execute()
  for (const number of [0, 1]) expect(await send(number)).toBe(200)
  expect((await ada.post(`/crm/document/${id}/complete`)).body.data.document).toMatchObject({ problem: null })
  await synced(loid, 'rest.pdf')
})

/** Three uploads of a partner that take all the room there is, by what the portal has noted. */
async function insertUploads(partnerId: string) {
  await sql`
    insert into documents (id, partner_id, loid, name, size, sha256, state, added_at, arrived)
    select gen_random_uuid(), ${partnerId}, 'LO-00000000', 'large.pdf', 2000000000, number::text, 'uploading', now(), 2000000000
      from generate_series(1, 3) as number`.execute(portal.deps.db)
}

test('what staff attach for the partner is shown, told once, opened, and gone when they delete it', async () => {
  const { loid, id } = await pushedLead()
  await lender.attach('Leads', id, { name: 'Partner guide.pdf', content: `${PDF}guide` })
  const shown = async () => (await documentsOf(loid)).map(({ name }: { name: string }) => name)
  // What was there before the portal first looked is no news.
  expect(await shown()).toEqual(['Partner guide.pdf'])
  const told = async () =>
    (await portal.deps.db.selectFrom('events').select('data').where('loid', '=', loid).execute())
      .map(({ data }) => Object(data).document_name)
      .filter(Boolean)
  expect(await told()).toEqual([])

  // Within the minute nobody looks, unless the record changes.
  await lender.attach('Leads', id, { name: 'Partner letter.pdf', content: `${PDF}letter` })
  await lender.attach('Leads', id, { name: 'Credit memo.pdf', content: 'secret' })
  expect(await shown()).toEqual(['Partner guide.pdf'])
  await lender.update('Leads', id, { Lead_Status: 'Contacted' })
  await runSweep(portal.deps, AbortSignal.timeout(30_000))
  await waitFor('the letter', async () => (await shown()).includes('Partner letter.pdf'))
  expect(await shown()).not.toContain('Credit memo.pdf')
  expect(await told()).toEqual(['Partner letter.pdf'])
  const letter = (await documentsOf(loid)).find((one: { name: string }) => one.name === 'Partner letter.pdf')
  expect(letter).toMatchObject({ is_lenders: true, added_by: 'Maya Thornton', take_back_until: null, can_open: true })
  expect(await (await open(letter.id)).text()).toBe(`${PDF}letter`)
  const news = await portal.deps.db.selectFrom('mail_news').select(['type', 'kind']).where('loid', '=', loid).execute()
  expect(news).toContainEqual({ type: 'document.added', kind: 'lender-note' })

  for (const one of await lender.attachments('Leads', id)) await lender.removeAttachment('Leads', id, one.id)
  await lender.update('Leads', id, { Lead_Status: 'Pre Call' })
  await runSweep(portal.deps, AbortSignal.timeout(30_000))
  await waitFor('the list to be empty', async () => (await shown()).length === 0)
  expect(await toldDocuments(loid)).toEqual(['Partner letter.pdf (removed by the lender)'])
})

test('nobody has the lender asked for documents without end: a partner that opens too many records sees what is known', async () => {
  await using limited = await startPortal({ withCrm: true, env: { RATE_LIMITS: 'on' } })
  const partner = await limited.newPartner()
  await confirmEmail(limited, partner)
  const records = [await partner.submitLead(), await partner.submitLead({ email: 'second@example.com' })]
  for (const { loid } of records) await partner.pushedLead(loid)
  const asked = async () => (await openLender(limited.crmUrl).calls()).by_kind
  const [first, second] = records.map(({ loid }) => `/crm/documents/${loid}`)
  const before = await asked()
  expect((await partner.get(first ?? '')).status).toBe(200)
  const between = await asked()
  expect(between).not.toEqual(before)
  await sql`update rate_limits set points = 60 where key like 'looks-minute:%'`.execute(limited.deps.db)
  expect((await partner.get(second ?? '')).status).toBe(200)
  expect(await asked()).toEqual(between)
})

test('a record’s new partner sees what staff attached, and the former partner opens nothing any more', async () => {
  const { loid, id } = await pushedLead()
  await upload(portal, ada, { loid, name: 'own.txt', content: bytes('from Ada') })
  const own = await synced(loid, 'own.txt')
  await lender.attach('Leads', id, { name: 'Partner terms.pdf', content: `${PDF}terms` })
  await portal.deps.db.deleteFrom('document_looks').where('loid', '=', loid).execute()
  const terms = await synced(loid, 'Partner terms.pdf')
  const eve = await portal.newPartner()
  await confirmEmail(portal, eve)
  const zohoId = await waitFor('Eve in the CRM', async () => (await eve.get('/profile')).body.data.zoho_id)
  await lender.update('Leads', id, { Partner: { id: zohoId } })
  await runSweep(portal.deps, AbortSignal.timeout(30_000))
  const moved = await waitFor('the lead to move', async () => (await eve.get(`/crm/lead/${loid}`)).status === 200)
  expect(moved).toBe(true)
  expect((await eve.get(`/crm/documents/${loid}`)).body.data.documents).toMatchObject([{ name: 'Partner terms.pdf' }])
  for (const document of [own, terms]) expect((await open(document.id)).status).toBe(404)
  expect((await ada.delete(`/crm/document/${own.id}`)).status).toBe(404)
})

test('a file whose answer was lost is not shown to the record’s new partner as the lender’s', async () => {
  const { loid, id } = await pushedLead()
  await upload(portal, ada, { loid, name: 'Partner statement.txt', content: bytes('from Ada') })
  await synced(loid, 'Partner statement.txt')
  const answerless = { state: 'pending', zoho_id: null, crm_module: null, crm_record: null } as const
  await portal.deps.db.updateTable('documents').set(answerless).where('loid', '=', loid).execute()
  const eve = await portal.newPartner()
  await confirmEmail(portal, eve)
  const zohoId = await waitFor('Eve in the CRM', async () => (await eve.get('/profile')).body.data.zoho_id)
  await lender.update('Leads', id, { Partner: { id: zohoId } })
  await runSweep(portal.deps, AbortSignal.timeout(30_000))
  await waitFor('the lead to move', async () => (await eve.get(`/crm/lead/${loid}`)).status === 200)
  expect((await eve.get(`/crm/documents/${loid}`)).body.data.documents).toEqual([])
})

test('files follow a merge of two leads, and the lender’s are back once the API user may see them again', async () => {
  const master = await pushedLead()
  const { loid, id } = await pushedLead()
  await upload(portal, ada, { loid, name: 'own.txt', content: bytes('before the merge') })
  const own = await synced(loid, 'own.txt')
  await upload(portal, ada, { loid: master.loid, name: 'same.txt', content: bytes('before the merge') })
  await synced(master.loid, 'same.txt')
  await lender.attach('Leads', id, { name: 'Partner terms.pdf', content: `${PDF}terms` })
  await lender.merge('Leads', master.id, [id])
  await runSweep(portal.deps, AbortSignal.timeout(30_000))
  const names = async () => {
    await portal.deps.db.deleteFrom('document_looks').where('loid', '=', master.loid).execute()
    return (await documentsOf(master.loid)).map(({ name }: { name: string }) => name).toSorted()
  }
  expect(await names()).toEqual(['Partner terms.pdf', 'own.txt', 'same.txt'])
  expect(await (await open(own.id)).text()).toBe('before the merge')
  await lender.behaviour({ apiUserSeesRecords: false })
  await names()
  await lender.behaviour({ apiUserSeesRecords: true })
  expect(await names()).toEqual(['Partner terms.pdf', 'own.txt', 'same.txt'])
})

test.each(['deal', 'contact', 'no'])('documents outlive a conversion that moves files to: %s', async (to) => {
  await lender.behaviour({ conversionMovesAttachments: to })
  const { loid, id } = await pushedLead()
  await upload(portal, ada, { loid, name: `own-${to}.txt`, content: bytes(`before ${to}`) })
  const own = await synced(loid, `own-${to}.txt`)
  await lender.attach('Leads', id, { name: 'Partner offer.pdf', content: `${PDF}offer ${to}` })
  await lender.convert(id, { Deal_Name: 'Offer', Amount: 1 })
  expect((await ada.post('/dashboard/sync-leads')).status).toBe(200)
  expect((await ada.post('/dashboard/sync-deals')).status).toBe(200)
  expect(await (await open(own.id)).text()).toBe(`before ${to}`)
  const offer = await waitFor('the offer', async () =>
    (await documentsOf(loid)).find((one: { name: string }) => one.name === 'Partner offer.pdf'),
  )
  expect(await (await open(offer.id)).text()).toBe(`${PDF}offer ${to}`)
  await lender.behaviour({ conversionMovesAttachments: null })
})

test.each([
  ['the deal', { to: 'deal', deal: { Deal_Name: 'Offer', Amount: 1 }, isSeen: true }],
  ['the contact', { to: 'contact', deal: { Deal_Name: 'Offer', Amount: 1 }, isSeen: true }],
  [
    'the contact, before the portal sees that',
    { to: 'contact', deal: { Deal_Name: 'Offer', Amount: 1 }, isSeen: false },
  ],
  ['the contact, without a deal', { to: 'contact', deal: null, isSeen: true }],
])(
  'a file that is taken back leaves the CRM after a conversion that moved it to %s',
  async (_, { to, deal, isSeen }) => {
    await lender.behaviour({ conversionMovesAttachments: to })
    const { loid, id } = await pushedLead()
    await upload(portal, ada, { loid, name: 'wrong.txt', content: bytes('of another client') })
    const own = await synced(loid, 'wrong.txt')
    await lender.convert(id, deal)
    if (isSeen) await runSweep(portal.deps, AbortSignal.timeout(30_000))
    const { Converted_Deal, Converted_Contact } = Object(await lender.read('Leads', id))
    const moved = () =>
      to === 'deal'
        ? lender.attachments('Deals', Converted_Deal.id)
        : lender.attachments('Contacts', Converted_Contact.id)
    expect(await moved()).toMatchObject([{ name: 'wrong.txt' }])
    expect((await ada.delete(`/crm/document/${own.id}`)).status).toBe(200)
    await waitFor('the file to leave the CRM', async () => (await moved()).length === 0)
    await lender.behaviour({ conversionMovesAttachments: null })
  },
)

test.each([
  ['the record is in the recycle bin', (id: string) => lender.remove('Leads', id), (id: string) => lender.restore(id)],
  [
    'the API user may not see the record',
    () => lender.behaviour({ apiUserSeesRecords: false }),
    () => lender.behaviour({ apiUserSeesRecords: true }),
  ],
])('a file that is taken back while %s leaves the CRM afterwards', async (_, hide, show) => {
  const { loid, id } = await pushedLead()
  await upload(portal, ada, { loid, name: 'wrong.txt', content: bytes('of another client') })
  const own = await synced(loid, 'wrong.txt')
  await hide(id)
  expect((await ada.delete(`/crm/document/${own.id}`)).status).toBe(200)
  const payload = { partnerId: ada.id, documentId: String(own.id) }
  const remove = () => removeDocument.run(portal.deps, payload, AbortSignal.timeout(30_000))
  await expect(remove()).rejects.toThrow('the CRM does not show a record that may have the file')
  await show(id)
  await remove()
  expect(await lender.attachments('Leads', id)).toEqual([])
})

test('a file that the lender has deleted says so, answers a request when it is sent again, and is shown again if it is there', async () => {
  const { loid, id } = await pushedLead()
  const look = async () => {
    await portal.deps.db.deleteFrom('document_looks').where('loid', '=', loid).execute()
    return documentsOf(loid)
  }
  const send = (requestId?: string) =>
    upload(portal, ada, { loid, name: 'bank.txt', content: bytes('March: 12'), ...(requestId && { requestId }) })
  await send()
  const own = await synced(loid, 'bank.txt')
  for (const one of await lender.attachments('Leads', id)) await lender.removeAttachment('Leads', id, one.id)
  expect(await look()).toMatchObject([{ id: own.id, state: 'deleted', can_open: false, take_back_until: null }])

  await lender.create('Tasks', { Subject: 'Partner: Send it again', Status: 'Not Started', What_Id: { id } })
  await runSweep(portal.deps, AbortSignal.timeout(30_000))
  const request = async () => (await ada.get(`/crm/lead/${loid}`)).body.data.requests[0]
  const again = await send((await request()).id)
  expect(again.body.data.document).toMatchObject({ request_id: (await request()).id })
  expect((await request()).state).toBe('sent')
  await synced(loid, 'bank.txt')
  const [stored] = await lender.attachments('Leads', id)
  expect(stored?.name).toBe('Send it again – bank.txt')
  const states = async () => (await look()).map(({ state }: { state: string }) => state)
  expect(await states()).toEqual(['synced', 'deleted'])

  // A file that is there after all is shown again.
  const { id: back } = again.body.data.document
  await portal.deps.db
    .updateTable('documents')
    .set({ deleted_at: new Date().toISOString() })
    .where('id', '=', back)
    .execute()
  expect(await states()).toEqual(['synced', 'deleted'])
})

test('a look that began before a file was attached does not call the file deleted', async () => {
  const { loid, id } = await pushedLead()
  const { deps } = portal
  const listAttachments: typeof deps.crm.listAttachments = async (...of) => {
    const listed = await deps.crm.listAttachments(...of)
    await upload(portal, ada, { loid, name: 'bank.txt', content: bytes('March: 12') })
    await synced(loid, 'bank.txt')
    return listed
  }
  const late = { ...deps, crm: { ...deps.crm, listAttachments } }
  await pullDocumentsLater.run(late, { partnerId: ada.id, loid }, AbortSignal.timeout(30_000))
  expect(await lender.attachments('Leads', id)).toMatchObject([{ name: 'bank.txt' }])
  expect(await documentsOf(loid)).toMatchObject([{ state: 'synced' }])
})

test('no file is called deleted while the CRM does not show its record, or because a conversion has moved it', async () => {
  await lender.behaviour({ conversionMovesAttachments: 'contact' })
  const { loid, id } = await pushedLead()
  const look = async () => {
    await portal.deps.db.deleteFrom('document_looks').where('loid', '=', loid).execute()
    return (await documentsOf(loid)).map(({ state }: { state: string }) => state)
  }
  await upload(portal, ada, { loid, name: 'bank.txt', content: bytes('March: 12') })
  await synced(loid, 'bank.txt')
  await lender.behaviour({ apiUserSeesRecords: false })
  expect(await look()).toEqual(['synced'])
  await lender.behaviour({ apiUserSeesRecords: true })
  await lender.convert(id, null)
  expect(await look()).toEqual(['synced'])
  const { Converted_Contact } = Object(await lender.read('Leads', id))
  const [moved] = await lender.attachments('Contacts', Converted_Contact.id)
  await lender.removeAttachment('Contacts', Converted_Contact.id, moved?.id ?? '')
  expect(await look()).toEqual(['deleted'])
  await lender.behaviour({ conversionMovesAttachments: null })
})
