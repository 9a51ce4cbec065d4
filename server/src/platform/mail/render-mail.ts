import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { escapeHtml } from './escape-html.ts'
import type { Mail } from './mail.ts'
import type { MailPart } from './mail-parts.ts'

type Content = Pick<Mail, 'subject' | 'parts'>

/** Renders a mail as plain text and as HTML. The portal's name is the head of the HTML (D115). */
export async function renderMail(mail: Content, brandName: string): Promise<{ text: string; html: string }> {
  layout ??= await readLayout()
  return { text: `${mail.parts.map(asText).join('\n\n')}\n`, html: asHtml(layout, mail, brandName) }
}

function asText(one: MailPart): string {
  switch (one.part) {
    case 'text':
      return one.text
    case 'button':
      return `${one.text ?? one.label}: ${one.url}`
    case 'link':
    case 'footer':
      return `${one.text} ${one.url}`
    case 'quote':
      return one.text.replaceAll(/^|\r?\n|\r/g, (lineBreak) => `${lineBreak && '\n'}> `)
    case 'change':
      return `${one.text} (${one.time})`
    case 'record':
      return `${one.name}, ${one.loid}: ${one.url}`
  }
}

interface Layout {
  /** The page, with one mark in place of the body's parts and another mark in place of the footer's parts. */
  page: string
  parts: Map<string, string>
}

let layout: Layout | undefined

/** layout.html is built from layout.mjml in advance (`npm run build:mails`), so that no mail waits for mjml. */
async function readLayout(): Promise<Layout> {
  const html = await readFile(join(import.meta.dirname, 'layout.html'), 'utf8')
  const parts = new Map<string, string>()
  const page = html.replaceAll(PARTS, (region: string) => {
    const [, ...pieces] = region.replace('<!-- end -->', '').split(/<!-- part (\w+) -->/)
    for (let i = 0; i < pieces.length; i += 2) parts.set(pieces[i] ?? '', pieces[i + 1] ?? '')
    return region.startsWith('<!-- part footer') ? FOOTER : BODY
  })
  return { page, parts }
}

/** Matches from the first part of a column to the end of the column. */
const PARTS = /<!-- part [\s\S]*?<!-- end -->/g
const BODY = '<!-- body -->'
const FOOTER = '<!-- footer -->'

function asHtml({ page, parts }: Layout, { subject, parts: given }: Content, brandName: string): string {
  const render = (one: MailPart): string => {
    const { part, ...values } = one
    if (one.part === 'button' && one.text)
      return `${render({ part: 'text', text: `${one.text}.` })}${fill(part, values)}`
    return fill(part, values)
  }
  const fill = (part: string, values: Record<string, string>) => filled(parts.get(part) ?? '', values)
  const ofColumn = (isFooter: boolean) =>
    given
      .filter(({ part }) => (part === 'footer') === isFooter)
      .map(render)
      .join('')
  // Mail programs show a preview after the subject. The preview leaves out the greeting, because every mail begins with
  // a greeting.
  const preview = given.find((one) => one.part !== 'text' || !/^Hello[ ,]/.test(one.text))
  return filled(page, { subject, brandName, preview: preview ? asText(preview) : '' })
    .replace(BODY, () => ofColumn(false))
    .replace(FOOTER, () => ofColumn(true))
}

function filled(template: string, values: Record<string, string>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ''))
}
