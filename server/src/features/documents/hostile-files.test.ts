import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noteFieldGroups } from '../../crm/pull/fields/optional-values.ts'
import { nameInCrm } from '../../records/documents/document-name.ts'
import { hostileFiles } from '../../testing/hostile-files.ts'
import { openLender } from '../../testing/lender.ts'
import { confirmEmail, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { upload } from '../../testing/upload.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { contentTypes, docx, WORD_WITH_MACROS, zip } from '../../testing/zip.ts'
import { DOCUMENT_TYPES } from './stored-file.ts'

let portal: TestPortal
let ada: TestPartner
let loid: string
beforeAll(async () => {
  portal = await startPortal()
  ada = await portal.newPartner()
  await confirmEmail(portal, ada)
  loid = (await ada.submitLead()).loid
})
afterAll(() => portal[Symbol.asyncDispose]())

const BODY = { name: 'word/document.xml', content: '<w:document/>' }

let sent = 0
/** Uploads a file that differs from all others, and returns what became of it. */
async function fate(name: string, content: Uint8Array | string) {
  sent += 1
  const answer = await upload(portal, ada, { loid, name, content: new Uint8Array(Buffer.from(content)) })
  const { document } = answer.body.data
  await ada.delete(`/crm/document/${document.id}`)
  return { state: document.state, name: document.name, problem: document.problem, sent }
}

const WEB = 'Web pages, drawings and scripts cannot be sent. Save the file as a PDF, and send that.'
const ARCHIVE = 'Archives cannot be sent. Send each file by itself.'
const MACRO = 'Files with macros cannot be sent. Save the file without macros, or as a PDF.'
const LARGE = 'This file is packed so tightly that it cannot be checked. Save it again, or as a PDF.'
const BROKEN = 'This file is damaged or protected, so it cannot be checked. Save it again, or as a PDF.'
const bomb = Buffer.alloc(10_000_000)
/** Packs to a hundredth. */
const TIGHT = Buffer.concat(Array.from({ length: 500 }, () => Buffer.concat([Buffer.alloc(19_700), randomBytes(300)])))

test.each<[string, string, string | Buffer, string]>([
  ['a program named as a PDF', 'invoice.pdf', 'MZ\x90\x00', 'Programs cannot be sent.'],
  ['a script', 'run.txt', '#!/bin/sh\nrm -rf', 'Programs cannot be sent.'],
  ['a page as a PDF', 'bank.pdf', '<!doctype html><script>alert(1)</script>', WEB],
  ['a page behind blanks', 'bank.csv', '\n\n <html>', WEB],
  ['a drawing as a picture', 'photo.png', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', WEB],
  ['an archive', 'all.zip', zip([{ name: 'a.txt', content: 'a' }]), ARCHIVE],
  ['a program in a Word file', 'a.docx', docx({ name: 'word/run.exe', content: 'MZ' }), ARCHIVE],
  ['a Word file with macros', 'a.docx', docx({ name: 'word/vbaProject.bin', content: 'x' }), MACRO],
  ['a Word file of the kind with macros', 'a.docx', zip([contentTypes(WORD_WITH_MACROS), BODY]), MACRO],
  ['a path out of the archive', 'a.docx', docx({ name: '../../evil.txt', content: 'x' }), BROKEN],
  ['a bomb', 'a.docx', docx({ name: 'b.xml', content: bomb }), LARGE],
  [
    'a bomb of many entries',
    'a.docx',
    docx(...Array.from({ length: 21 }, (_, at) => ({ name: `b${at}.xml`, content: TIGHT }))),
    LARGE,
  ],
  ['a bomb that lies', 'a.docx', docx({ name: 'b.xml', content: bomb, said: 10 }), BROKEN],
  ['half an archive', 'a.docx', docx().subarray(0, 120), BROKEN],
  ['a Word file of an older version', 'a.doc', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'older versions'],
  ['bytes that are no text', 'a.txt', Buffer.from([0xc3, 0x28, 0x41]), 'cannot be sent'],
  ['text with NUL', 'a.txt', 'a\0b', 'cannot be sent'],
])('%s is refused in words', async (_what, name, content, words) => {
  const { state, problem } = await fate(name, content)
  expect(state).toBe('failed')
  expect(problem).toContain(words)
})

const PDF = '%PDF-1.7\n'
const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
test.each<[string, string | Buffer, string]>([
  ['bank.pdf', `${PDF}<script>alert(1)</script>`, 'bank.pdf'],
  ['Bank Statement.PDF', `${PDF}2`, 'Bank Statement.PDF'],
  ['invoice.pdf.exe', `${PDF}3`, 'invoice.pdf.exe.pdf'],
  ['../../etc/passwd', `${PDF}4`, 'passwd.pdf'],
  ['C:\\Users\\ada\\bank.pdf', `${PDF}5`, 'bank.pdf'],
  ['photo\u202Egnp.pdf', Buffer.concat([PNG, Buffer.from('1')]), 'photognp.png'],
  ['nul\0.png', Buffer.concat([PNG, Buffer.from('2')]), '_nul.png'],
  [`${'a'.repeat(300)}.pdf`, `${PDF}6`, `${'a'.repeat(116)}.pdf`],
  ['"quote"; filename=x.html', `${PDF}7`, '_quote_; filename=x.html.pdf'],
  ['...', `${PDF}8`, 'document.pdf'],
  ['list.csv', 'name;amount\nNkem;12', 'list.csv'],
  ['a.docx', docx(), 'a.docx'],
  ['report', docx({ name: 'word/a.xml', content: 'a' }), 'report.docx'],
])('%s keeps a name that fits its content', async (name, content, kept) => {
  expect(await fate(name, content)).toMatchObject({ state: 'pending', name: kept })
})

const FILES = 500
/** Letters, digits and marks that no file system, header or terminal gives a meaning, or that are escaped there. */
const SAFE_NAME = /^[^\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]{1,120}$/u
const EXTENSIONS = new Map<string, readonly string[]>(Object.entries(DOCUMENT_TYPES))

test(`of ${FILES} hostile files each is refused in words, or saved under a name that hides nothing and is never shown as a page`, async () => {
  const files = hostileFiles(1, FILES)
  const loids = await Promise.all(
    Array.from({ length: 5 }, async (_, at) => (await ada.submitLead({ email: `hostile${at}@example.com` })).loid),
  )
  const left = files.map((file, at) => ({ file, loid: loids[at % loids.length] ?? '' }))
  const wrong: string[] = []
  let refused = 0
  async function sendNext(): Promise<void> {
    for (let next = left.pop(); next; next = left.pop()) {
      const { file, loid } = next
      const said = await judgementOf(file, loid)
      refused += said === 'refused' ? 1 : 0
      if (said !== 'refused' && said !== 'safe') wrong.push(`${file.what} ${JSON.stringify(file.name)}: ${said}`)
      if ((said === 'refused') !== file.isRefused) wrong.push(`${file.what}: ${said}`)
    }
  }
  await Promise.all(Array.from({ length: 6 }, sendNext))
  expect(wrong).toEqual([])
  expect(refused).toBe(files.filter(({ isRefused }) => isRefused).length)
})

test('a file of the lender’s and a statement are shown and saved under names that hide nothing either', async () => {
  await using withCrm = await startPortal({ withCrm: true })
  await withCrm.deps.crm.makeMissingFields(['payments'])
  await noteFieldGroups(withCrm.deps)
  const lender = openLender(withCrm.crmUrl)
  const bob = await withCrm.newPartner()
  const lead = await bob.submitLead()
  await bob.pushedLead(lead.loid)
  const id = String((await lender.list('Leads', 'LOID'))[0]?.['id'])
  const zohoId = await waitFor('Bob in the CRM', async () => (await bob.get('/profile')).body.data.zoho_id)
  const [given, kept] = ['photo \u202egnp.js', 'photo gnp.js']
  await lender.attach('Leads', id, { name: `Partner ${given}`, content: 'MZ' })
  await lender.attach('Partners', zohoId, { name: `Statement ${given}`, content: 'MZ' })
  const [document] = (await bob.get(`/crm/documents/${lead.loid}`)).body.data.documents
  const [statement] = (await bob.get('/payments/statements')).body.data.statements
  expect([document.name, statement.name]).toEqual([`Partner ${kept}`, `Statement ${kept}`])
  for (const path of [`crm/document/${document.id}`, `payments/statements/${statement.id}`]) {
    const headers = { authorization: `Bearer ${bob.token}` }
    const opened = await fetch(`${withCrm.url}/api/${path}/content`, { headers })
    expect(opened.headers.get('content-type')).toBe('application/octet-stream')
    expect(decodeURIComponent(opened.headers.get('content-disposition') ?? '')).toMatch(
      new RegExp(`'[a-z]+ ${kept}$`, 'i'),
    )
  }
})

/** What the portal makes of a file: `refused` in words, `safe`, or what is wrong. */
async function judgementOf({ name, content }: { name: string; content: Buffer }, of: string): Promise<string> {
  const answer = await upload(portal, ada, { loid: of, name, content: new Uint8Array(content) })
  if (answer.status !== 200) return `answered with ${answer.status} ${JSON.stringify(answer.body)}`
  const { id, state, problem, name: kept } = answer.body.data.document
  const headers = { authorization: `Bearer ${ada.token}` }
  const opened = await fetch(`${portal.url}/api/crm/document/${id}/content`, { headers })
  const body = Buffer.from(await opened.arrayBuffer())
  if (state === 'failed') {
    if (opened.status !== 404) return 'refused, but opened'
    return /^[A-Z][^<>{}]+\.$/.test(problem) ? 'refused' : `refused without words: ${problem}`
  }
  const type = opened.headers.get('content-type') ?? ''
  const saved = /^attachment; filename\*=UTF-8''([\w%.!#$&+^`|~-]+)$/.exec(
    opened.headers.get('content-disposition') ?? '',
  )
  if (saved?.[1] === undefined || decodeURIComponent(saved[1]) !== kept) return 'not saved under its name'
  if (opened.headers.get('x-content-type-options') !== 'nosniff') return 'its type may be guessed'
  if (!body.equals(content)) return 'another content'
  const extension = String(kept).split('.').at(-1)?.toLowerCase() ?? ''
  if (!EXTENSIONS.get(type)?.includes(extension)) return `${kept} is opened as ${type}`
  const asked = nameInCrm(kept, `../../<${name}>\u202e`, [kept])
  for (const one of [kept, asked]) {
    if (!SAFE_NAME.test(one.slice(0, 120)) || !SAFE_NAME.test(one.slice(-120))) return `the name ${JSON.stringify(one)}`
    if (/^[. ]|^(?:con|nul|com1|lpt\u00b9)(?:\.|$)/i.test(one)) return `the name ${JSON.stringify(one)}`
  }
  return 'safe'
}
