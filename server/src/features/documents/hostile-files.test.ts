import { crc32, deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { confirmEmail, startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'
import { upload } from '../../testing/upload.ts'

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

interface Packed {
  name: string
  content: string | Buffer
  /** What the directory says of the unpacked size, if it lies. */
  said?: number
}

/** An archive, as the writers of Word and Excel files make it. */
function zip(entries: readonly Packed[]): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, content, said } of entries) {
    const plain = Buffer.from(content)
    const packed = deflateRawSync(plain, { level: 9 })
    const named = Buffer.from(name)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(crc32(plain), 10)
    facts.writeUInt32LE(packed.byteLength, 14)
    facts.writeUInt32LE(said ?? plain.byteLength, 18)
    facts.writeUInt16LE(named.byteLength, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, named, packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, place, named]))
    bodies.push(local)
    at += local.byteLength
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(listed.byteLength, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...bodies, listed, end])
}

const MAIN = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'
const types = (type: string) => ({
  name: '[Content_Types].xml',
  content: `<Types><Override PartName="/word/document.xml" ContentType="${type}"/></Types>`,
})
const BODY = { name: 'word/document.xml', content: '<w:document/>' }
const docx = (...more: Packed[]) => zip([types(MAIN), BODY, ...more])

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
const bomb = Buffer.alloc(40_000_000)

test.each<[string, string, string | Buffer, string]>([
  ['a program named as a PDF', 'invoice.pdf', 'MZ\x90\x00', 'Programs cannot be sent.'],
  ['a script', 'run.txt', '#!/bin/sh\nrm -rf', 'Programs cannot be sent.'],
  ['a page as a PDF', 'bank.pdf', '<!doctype html><script>alert(1)</script>', WEB],
  ['a page behind blanks', 'bank.csv', '\n\n <html>', WEB],
  ['a drawing as a picture', 'photo.png', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', WEB],
  ['an archive', 'all.zip', zip([{ name: 'a.txt', content: 'a' }]), ARCHIVE],
  ['a program in a Word file', 'a.docx', docx({ name: 'word/run.exe', content: 'MZ' }), ARCHIVE],
  ['a Word file with macros', 'a.docx', docx({ name: 'word/vbaProject.bin', content: 'x' }), MACRO],
  [
    'a Word file of the kind with macros',
    'a.docx',
    zip([types('application/vnd.ms-word.document.macroEnabled.main+xml'), BODY]),
    MACRO,
  ],
  ['a path out of the archive', 'a.docx', docx({ name: '../../evil.txt', content: 'x' }), BROKEN],
  ['a bomb', 'a.docx', docx(...Array.from({ length: 14 }, (_, at) => ({ name: `b${at}.xml`, content: bomb }))), LARGE],
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
