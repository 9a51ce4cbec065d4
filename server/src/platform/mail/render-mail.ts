import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Brand } from '../brand/brand.ts'
import type { Palette } from '../brand/colour.ts'
import { escapeHtml } from './escape-html.ts'
import type { MailPart } from './mail-parts.ts'

interface Content {
  subject: string
  parts: readonly MailPart[]
}

/** Renders a mail as plain text and as HTML. The HTML wears the lender's name, logo and colours (D115). */
export async function renderMail(mail: Content, brand: Brand): Promise<{ text: string; html: string }> {
  layout ??= await readLayout()
  const html = asHtml(dressed(layout, brand), mail, brand.name)
  return { text: `${mail.parts.map(asText).join('\n\n')}\n`, html }
}

/** The name by which the HTML shows the logo that is attached to the mail. */
export const LOGO_CID = 'logo'

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
  const initial = brandName.charAt(0).toUpperCase()
  return filled(page, { subject, brandName, initial, preview: preview ? asText(preview) : '' })
    .replace(BODY, () => ofColumn(false))
    .replace(FOOTER, () => ofColumn(true))
}

/** The layout with the lender's logo and colours in place of the product's. */
function dressed({ page, parts }: Layout, brand: Brand): Layout {
  const dress = (html: string) => withLogo(withColours(html, brand.palette), brand)
  return { page: dress(page), parts: new Map([...parts].map(([name, html]) => [name, dress(html)])) }
}

/** The layout's colours: the brand's with the white on it, and the others that depend on the brand's. */
function withColours(html: string, palette: Palette | undefined): string {
  if (!palette) return html
  const on = palette['on-brand']
  const [ink, darkInk] = palette['brand-ink']
  return html
    .replaceAll(/(background: ?#4652d6; ?color: ?)#ffffff/g, `$1${on[0]}`)
    .replaceAll(/(#5661e6 !important; color: )#ffffff/g, `$1${on[1]}`)
    .replaceAll('#4652d6', palette.brand[0])
    .replaceAll('#5661e6', palette.brand[1])
    .replaceAll('#7f8af5', palette.ring[1])
    .replaceAll('#3f49c0', ink)
    .replaceAll('#b1baff', darkInk)
}

function withLogo(html: string, { name, logo }: Brand): string {
  if (logo?.type !== 'image/png') return html
  const { isWide } = logo
  const width = Math.round(LOGO_HEIGHT * Math.min(logo.aspect, 7))
  // The white ground keeps a dark logo visible in a mail program’s dark theme.
  const image = `<img src="cid:${LOGO_CID}" alt="${isWide ? escapeHtml(name) : ''}" width="${width}" height="${LOGO_HEIGHT}" style="display: inline-block; vertical-align: middle; background: #ffffff; border-radius: 6px; margin-right: 8px">`
  return html.replace(
    /<span style="[^"]*">\{\{initial\}\}<\/span>(\{\{brandName\}\})/,
    (_, text: string) => image + (isWide ? '' : text),
  )
}

const LOGO_HEIGHT = 28

function filled(template: string, values: Record<string, string>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ''))
}
