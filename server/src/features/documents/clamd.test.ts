import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushDocument } from '../../crm/push/push-document.job.ts'
import { scanFile } from '../../platform/clamd.ts'
import { NotYet } from '../../platform/jobs/define-job.ts'
import { startClamd, VIRUS } from '../../testing/clamd.ts'
import { type Lender, openLender } from '../../testing/lender.ts'
import { confirmEmail, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { upload } from '../../testing/upload.ts'
import { waitFor } from '../../testing/wait-for.ts'

async function* pieces(content: Buffer) {
  for (let at = 0; at < content.byteLength; at += 1_000_000) yield content.subarray(at, at + 1_000_000)
}
const scan = (url: string, content: string | Buffer, ms = 30_000) =>
  scanFile(url, pieces(Buffer.from(content)), AbortSignal.timeout(ms))

test('clamd’s words are understood, and a scanner that is down, hangs or takes no such length has not found a file clean', async () => {
  await using clamd = await startClamd({ bytesMax: 3_000_000 })
  const large = Buffer.alloc(2_500_000, 'a')
  expect(await scan(clamd.url, large)).toBe('clean')
  expect(clamd.scanned[0]?.equals(large)).toBe(true)
  expect(await scan(clamd.url, `text ${VIRUS} text`)).toBe('virus')
  expect(await scan(clamd.url, Buffer.alloc(20_000_000))).toBe('too-large')
  clamd.hang(true)
  expect(await scan(clamd.url, 'small', 300)).toBe('no-answer')
  await clamd.stop()
  expect(await scan(clamd.url, 'small')).toBe('no-answer')
})

let portal: TestPortal
let lender: Lender
let ada: TestPartner
let clamd: Awaited<ReturnType<typeof startClamd>>
beforeAll(async () => {
  clamd = await startClamd()
  portal = await startPortal({ withCrm: true, env: { CLAMD_URL: clamd.url } })
  lender = openLender(portal.crmUrl)
  ada = await portal.newPartner()
  await confirmEmail(portal, ada)
})
afterAll(async () => {
  await portal[Symbol.asyncDispose]()
  await clamd.stop()
})

test('only what clamd found clean reaches the CRM; a virus is said on the file, and a scanner that is down is waited for', async () => {
  const { loid } = await ada.submitLead()
  await ada.pushedLead(loid)
  const id = String((await lender.list('Leads', 'LOID'))[0]?.['id'])
  const send = async (name: string, content: string) => {
    const sent = await upload(portal, ada, { loid, name, content: new TextEncoder().encode(content) })
    return String(sent.body.data.document.id)
  }
  const stateOf = async (name: string) => {
    const { documents } = (await ada.get(`/crm/documents/${loid}`)).body.data
    const { state, problem } = documents.find((one: { name: string }) => one.name === name)
    return { state, problem }
  }
  await send('virus.txt', VIRUS)
  await waitFor('the virus to be found', async () => (await stateOf('virus.txt')).state === 'failed')
  expect((await stateOf('virus.txt')).problem).toBe('A virus was found in the file.')

  await clamd.stop()
  const documentId = await send('clean.txt', 'Rates: 1,204')
  const push = () => pushDocument.run(portal.deps, { partnerId: ada.id, documentId }, AbortSignal.timeout(30_000), '')
  await expect(push()).rejects.toThrow(NotYet)
  expect(await stateOf('clean.txt')).toEqual({ state: 'pending', problem: null })
  expect(await lender.attachments('Leads', id)).toEqual([])
  await using again = await startClamd({ port: Number(new URL(clamd.url).port) })
  await push()
  expect((await stateOf('clean.txt')).state).toBe('synced')
  expect(again.scanned.map(String)).toContain('Rates: 1,204')
  expect((await lender.attachments('Leads', id)).map(({ name }) => name)).toEqual(['clean.txt'])
})
