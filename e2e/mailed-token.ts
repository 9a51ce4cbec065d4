import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const OUTBOX = path.resolve(import.meta.dirname, '../.cache/e2e/outbox')

/** The token of the link to `/page` in a mail to this address. */
export function mailedToken(page: string, email: string): string | undefined {
  const mails = readdirSync(OUTBOX).map((file) => readFileSync(path.join(OUTBOX, file), 'utf8'))
  const mail = mails.find((text) => text.includes(`To: ${email}`) && text.includes(`/${page}?token`))
  // Quoted-printable: `=` is written as its code, and long lines are broken.
  const text = mail?.replaceAll('=\n', '').replaceAll('=3D', '=') ?? ''
  return new RegExp(String.raw`/${page}\?token=([\w-]+)`).exec(text)?.[1]
}
