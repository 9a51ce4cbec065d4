import { contentTypes, docx, WORD, WORD_WITH_MACROS, zip } from './zip.ts'

export interface HostileFile {
  /** What is hostile about it, for the message of a failing test. */
  what: string
  name: string
  content: Buffer
  /** Whether the portal has to refuse its content. Otherwise only its name is hostile, or its content is passive. */
  isRefused: boolean
}

/** A file of this kind. The mark makes it unlike all others. */
type Kind = [what: string, isRefused: boolean, make: (mark: string) => string | Buffer]

const bytes = (text: string) => Buffer.from(text, 'latin1')
const PNG = bytes('\x89PNG\r\n\x1a\n')
const JPEG = bytes('\xff\xd8\xff\xe0\x00\x10JFIF\x00')
const PAGE = '<!doctype html><script>alert(document.cookie)</script>'
const DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
const EICAR = String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*`
const ZEROS = Buffer.alloc(24_000_000)
const BOMB = docx({ name: 'word/bomb.xml', content: ZEROS })
const BOMB_THAT_LIES = docx({ name: 'word/bomb.xml', content: ZEROS, said: 10 })

/** An Office file whose end has other bytes before its directory, so that programs disagree about what is in it. */
function twoDirectories(mark: string): Buffer {
  const outer = zip([{ name: 'run.js', content: mark }])
  return Buffer.concat([docx(), outer])
}

const KINDS: readonly Kind[] = [
  ['a Windows program', true, (mark) => bytes(`MZ\x90\x00${mark}`)],
  ['a Linux program', true, (mark) => bytes(`\x7fELF\x02\x01${mark}`)],
  ['a macOS program', true, (mark) => bytes(`\xcf\xfa\xed\xfe${mark}`)],
  ['a Java class', true, (mark) => bytes(`\xca\xfe\xba\xbe${mark}`)],
  ['a script', true, (mark) => `#!/bin/sh\nrm -rf ${mark}`],
  ['a web page', true, (mark) => `${PAGE}${mark}`],
  ['a web page behind blanks', true, (mark) => `\n\t ${PAGE}${mark}`],
  ['a web page behind a mark of its encoding', true, (mark) => `\ufeff${PAGE}${mark}`],
  ['a web page in UTF-16', true, (mark) => Buffer.from(`\ufeff${PAGE}${mark}`, 'utf16le')],
  ['a drawing', true, (mark) => `${DRAWING}<!--${mark}-->`],
  ['a drawing behind its declaration', true, (mark) => `<?xml version="1.0"?>${DRAWING}<!--${mark}-->`],
  ['a style sheet of XML', true, (mark) => `<?xml-stylesheet href="data:,${mark}"?><a/>`],
  ['a script of the shell of Windows', true, (mark) => `<job><script language="VBScript">${mark}</script></job>`],
  ['a rich text', true, (mark) => `{\\rtf1{\\object\\objdata ${mark}}}`],
  ['a PostScript', true, (mark) => `%!PS-Adobe\n(${mark}) run`],
  ['a ZIP', true, (mark) => zip([{ name: 'a.txt', content: mark }])],
  ['a Java archive', true, (mark) => zip([{ name: 'META-INF/MANIFEST.MF', content: mark }])],
  ['an empty ZIP', true, (mark) => Buffer.concat([zip([]), bytes(mark)])],
  ['a RAR', true, (mark) => bytes(`Rar!\x1a\x07\x01\x00${mark}`)],
  ['a 7z', true, (mark) => bytes(`7z\xbc\xaf\x27\x1c${mark}`)],
  ['a gzip', true, (mark) => bytes(`\x1f\x8b\x08\x00${mark}`)],
  ['a tar', true, (mark) => bytes(`${mark.padEnd(257, '\0')}ustar\x0000`)],
  ['a disk image', true, (mark) => Buffer.concat([Buffer.alloc(0x8001), bytes(`CD001\x01${mark}`)])],
  ['a cabinet', true, (mark) => bytes(`MSCF\x00\x00${mark}`)],
  ['an old Word file', true, (mark) => bytes(`\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${mark}`)],
  ['a link of Windows', true, (mark) => bytes(`L\x00\x00\x00\x01\x14\x02\x00${mark}`)],
  ['a GIF with bytes', true, (mark) => bytes(`GIF89a\x01\x00\x01\x00\x80${mark}`)],
  ['a TIFF', true, (mark) => bytes(`II*\x00${mark}`)],
  ['a film', true, (mark) => bytes(`\x00\x00\x00\x18ftypmp42${mark}`)],
  ['a WebAssembly', true, (mark) => bytes(`\x00asm\x01\x00\x00\x00${mark}`)],
  ['text with NUL', true, (mark) => `a\0${mark}`],
  ['text with an escape sequence', true, (mark) => `\u001b]0;${mark}\u0007`],
  ['half a character', true, (mark) => Buffer.concat([Buffer.from(mark), Buffer.from([0xe2, 0x82])])],
  ['a Word file with macros', true, (mark) => docx({ name: 'word/vbaProject.bin', content: mark })],
  [
    'macros under another name',
    true,
    (mark) =>
      zip([
        {
          name: '[Content_Types].xml',
          content: `<Types><Override PartName="/a" ContentType="${WORD}"/><Override PartName="/b" ContentType="application/vnd.ms-office.vbaProject"/></Types>`,
        },
        { name: 'b', content: mark },
      ]),
  ],
  ['the kind with macros', true, (mark) => zip([contentTypes(WORD_WITH_MACROS), { name: 'a', content: mark }])],
  [
    'the kind with macros behind a comment',
    true,
    (mark) =>
      zip([
        {
          name: '[Content_Types].xml',
          content: `<Types><!-- ContentType="${WORD}" --><Override ContentType="${WORD_WITH_MACROS.replace('E', '&#69;')}"/></Types>`,
        },
        { name: 'a', content: mark },
      ]),
  ],
  [
    'two lists of contents',
    true,
    (mark) => zip([contentTypes(WORD), contentTypes(WORD_WITH_MACROS), { name: 'a', content: mark }]),
  ],
  ['an Excel file with macro sheets', true, (mark) => docx({ name: 'xl/macrosheets/sheet1.xml', content: mark })],
  ['a Word file with ActiveX', true, (mark) => docx({ name: 'word/activeX/activeX1.bin', content: mark })],
  ['a Word file with a program', true, (mark) => docx({ name: 'word/embeddings/run.exe', content: mark })],
  ['a Word file with a script', true, (mark) => docx({ name: 'word/embeddings/run.js', content: mark })],
  ['a path out of the archive', true, (mark) => docx({ name: '../../.profile', content: mark })],
  ['an absolute path', true, (mark) => docx({ name: '/etc/cron.d/run', content: mark })],
  ['a path of Windows', true, (mark) => docx({ name: 'word\\..\\..\\run.xml', content: mark })],
  ['a name with NUL in the archive', true, (mark) => docx({ name: 'word/a.xml\0.exe', content: mark })],
  ['a bomb', true, (mark) => Buffer.concat([BOMB.subarray(0, -2), Buffer.from([mark.length, 0]), bytes(mark)])],
  [
    'a bomb that lies',
    true,
    (mark) => Buffer.concat([BOMB_THAT_LIES.subarray(0, -2), Buffer.from([mark.length, 0]), bytes(mark)]),
  ],
  ['an encrypted Word file', true, (mark) => docx({ name: 'word/a.xml', content: mark, isEncrypted: true })],
  ['half a Word file', true, (mark) => Buffer.concat([docx().subarray(0, -60), bytes(mark)])],
  ['two archives in one', true, twoDirectories],
  ['a PDF that is a page', false, (mark) => `%PDF-1.7\n${PAGE}${mark}`],
  [
    'a PDF that is an archive',
    false,
    (mark) => Buffer.concat([bytes('%PDF-1.7\n'), zip([{ name: 'run.js', content: mark }])]),
  ],
  ['a PDF with a script', false, (mark) => `%PDF-1.7\n<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>${mark}`],
  ['a picture that is a page', false, (mark) => Buffer.concat([PNG, bytes(`${PAGE}${mark}`)])],
  ['a photo that is a program of PHP', false, (mark) => Buffer.concat([JPEG, bytes(`<?php system(1)?>${mark}`)])],
  ['a picture that is an archive', false, (mark) => Buffer.concat([PNG, zip([{ name: 'a.js', content: mark }])])],
  ['a WEBP that is a page', false, (mark) => bytes(`RIFF\x00\x00\x00\x00WEBP${PAGE}${mark}`)],
  ['a text that turns into a page', false, (mark) => `Statement ${mark}\n${PAGE}`],
  ['a text that is a picture and a script', false, (mark) => `GIF89a=1;alert(1)//${mark}`],
  ['a page in UTF-7', false, (mark) => `+ADw-script+AD4-alert(1)+ADw-/script+AD4-${mark}`],
  ['a table with formulas', false, (mark) => `name,amount\n=cmd|'/c calc'!A1,${mark}`],
  ['the test file of virus scanners', false, (mark) => `${EICAR}\n${mark}`],
]

const NAMES: readonly string[] = [
  'bank.pdf',
  'invoice.pdf.exe',
  'invoice.exe.pdf',
  'statement.html',
  'statement.svg',
  'photo.png.svg',
  'macro.docm',
  'run.bat',
  'open.url',
  'desktop.ini',
  '.htaccess',
  '.pdf',
  'noextension',
  ' ',
  '\u200b',
  '...',
  '. . .',
  '../../etc/passwd',
  '..\\..\\Windows\\System32\\drivers\\etc\\hosts',
  'C:\\Users\\ada\\bank.pdf',
  '\\\\server\\share\\bank.pdf',
  '/absolute/bank.pdf',
  'folder/',
  '%2e%2e%2fbank.pdf',
  '\uff0e\uff0e\uff0fbank.pdf',
  'bank.pdf\0.exe',
  '\0',
  'photo\u202egnp.exe',
  'invoice\u202efdp.exe',
  'a\u2066b\u2069.pdf',
  'a\u200b\u200e\ufeffb.pdf',
  'line\r\nset-cookie: a=b.pdf',
  'tab\tand\u2028line.pdf',
  '"quote"; filename=x.html',
  "it's; filename*=UTF-8''x.html",
  '<img src=x onerror=alert(1)>.pdf',
  'a:evil.exe',
  'bank.pdf::$DATA',
  'con',
  'CON.pdf',
  'nul.tar.pdf',
  'com1.pdf',
  'lpt\u00b9.txt',
  'bank.pdf.',
  'bank.pdf ',
  'bank.pdf . .exe . ',
  '-rf.pdf',
  '~$bank.docx',
  '$(reboot).pdf',
  '`reboot`.pdf',
  '{{constructor}}.pdf',
  '\ud800broken.pdf',
  'e\u0301'.repeat(40),
  '\u{1f4c4}'.repeat(150),
  `${'a'.repeat(300)}.pdf`,
  `${'b'.repeat(300)}`,
  `${'c'.repeat(119)}.exe.pdf`,
  `${'../'.repeat(100)}bank.pdf`,
]

/** As many hostile files as wanted, with every kind and every name among them: the same ones for the same seed. */
export function hostileFiles(seed: number, count: number): HostileFile[] {
  let state = seed
  const below = (end: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * end)
  }
  return Array.from({ length: count }, (_, at) => {
    const [what, isRefused, make] = KINDS[at % KINDS.length] ?? ['', true, () => '']
    const name = NAMES[at < NAMES.length ? at : below(NAMES.length)] ?? ''
    const content = Buffer.from(make(`mark ${seed} ${at}`))
    return { what: `${what} (${at} of seed ${seed})`, name, content, isRefused }
  })
}
