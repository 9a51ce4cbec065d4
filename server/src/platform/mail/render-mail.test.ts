import { copyFile, mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { paletteOf } from '../brand/colour.ts'
import { buildLayout, LAYOUT } from './build-layout.ts'
import { renderMail } from './render-mail.ts'

test('layout.html is up to date with layout.mjml (npm run build:mails)', async () => {
  expect(await readFile(LAYOUT, 'utf8')).toBe(await buildLayout())
})

test('text and HTML have the same content, and the HTML escapes text from outside', async () => {
  const content: Parameters<typeof renderMail>[0] = {
    subject: 'A & B <Pty>',
    parts: [
      { part: 'text', text: 'Hello Jo,' },
      {
        part: 'button',
        text: 'see what changed',
        label: 'Open the lead',
        url: 'https://portal.example/leads/LO-1?a=1&b=2',
      },
      { part: 'quote', text: '<script>alert(1)</script>\r\nsecond line {{url}} <!-- body -->' },
      { part: 'change', text: 'Moved to Approved', time: 'Mon 9:12 am' },
      { part: 'footer', text: 'Too many mails?', label: 'Unsubscribe', url: 'https://portal.example/unsubscribe' },
    ],
  }
  const { text, html } = await renderMail(content, { name: 'Smith & <Co>' })
  expect(text).toBe(`Hello Jo,

see what changed: https://portal.example/leads/LO-1?a=1&b=2

> <script>alert(1)</script>
> second line {{url}} <!-- body -->

Moved to Approved (Mon 9:12 am)

Too many mails? https://portal.example/unsubscribe
`)
  expect(html).not.toContain('<script>')
  expect(html).toContain('&#60;script&#62;alert(1)&#60;/script&#62;<br>second line {{url}}')
  expect(html).toContain('</span>Smith &#38; &#60;Co&#62;')
  expect(html).toContain('<title>A &#38; B &#60;Pty&#62;</title>')
  expect(html).toContain('href="https://portal.example/leads/LO-1?a=1&#38;b=2"')
  expect(html).not.toMatch(/<!-- (?:part|end|body|footer)|https?:\/\/(?!portal\.example|www\.w3\.org)/)
})

test('a mail wears the lender’s colours, and a PNG as its logo', async () => {
  const logo = { bytes: Buffer.alloc(0), type: 'image/png', aspect: 1, isWide: false } as const
  const palette = paletteOf('#e8590c')
  const parts = [{ part: 'button', label: 'Open', url: 'https://portal.example' }] as const
  const { html } = await renderMail({ subject: 'News', parts }, { name: 'Acme', logo, palette })
  expect(html).toContain('<img src="cid:logo" alt="" width="28" height="28"')
  expect(html).toContain('>Acme</div>')
  expect(html).toContain(`background:#e8590c;color:${palette['on-brand'][0]}`)
  expect(html).not.toMatch(/#4652d6|#5661e6|#7f8af5|#3f49c0|#b1baff|>A<\/span>/)
  const plain = await renderMail({ subject: 'News', parts }, { name: 'Acme', logo: { ...logo, type: 'image/svg+xml' } })
  expect(plain.html).toContain('>A</span>Acme')
})

test('a mail is rendered even if the layout could not be read for an earlier mail', async () => {
  const folder = await mkdtemp(join(inject('testFolder'), 'mail-'))
  for (const file of ['render-mail.ts', 'escape-html.ts'])
    await copyFile(join(import.meta.dirname, file), join(folder, file))
  const copy: { renderMail: typeof renderMail } = await import(join(folder, 'render-mail.ts'))
  const mail = { subject: 'News', parts: [] }
  await expect(copy.renderMail(mail, { name: 'Partner Portal' })).rejects.toThrow('ENOENT')
  await copyFile(LAYOUT, join(folder, 'layout.html'))
  expect(await copy.renderMail(mail, { name: 'Partner Portal' })).toEqual(
    await renderMail(mail, { name: 'Partner Portal' }),
  )
})
