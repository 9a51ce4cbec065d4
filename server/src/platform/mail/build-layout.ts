// npm run build:mails makes layout.html from layout.mjml. render-mail.ts reads only the HTML.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import mjml2html from 'mjml'

export const LAYOUT = join(import.meta.dirname, 'layout.html')

export async function buildLayout(): Promise<string> {
  const source = await readFile(join(import.meta.dirname, 'layout.mjml'), 'utf8')
  const { html } = await mjml2html(source, { validationLevel: 'strict', keepComments: true, fonts: {} })
  // Every mail contains this HTML, and a third of it would be indentation.
  return `${html.replaceAll(/\s*\n\s*/g, '\n').trim()}\n`
}

if (import.meta.main) await writeFile(LAYOUT, await buildLayout())
