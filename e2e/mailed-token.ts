import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const OUTBOX = path.resolve(import.meta.dirname, '../.cache/e2e/outbox')

/** Finds the token of the link to `/page` in a mail to this address. */
export function mailedToken(page: string, email: string, outbox = OUTBOX): string | undefined {
  const text = findMailIn(outbox, email, `/${page}?token`) ?? ''
  return new RegExp(String.raw`/${page}\?token=([\w-]+)`).exec(text)?.[1]
}

/** Finds a mail to this address that contains all of these texts. */
export function findMail(email: string, ...parts: string[]): string | undefined {
  return findMailIn(OUTBOX, email, ...parts)
}

function findMailIn(outbox: string, email: string, ...parts: string[]): string | undefined {
  // The first mail makes the folder.
  const mails = (existsSync(outbox) ? readdirSync(outbox) : []).map((file) => {
    const mail = readFileSync(path.join(outbox, file), 'utf8')
    // Decodes quoted-printable, which breaks long lines and encodes `=`.
    return mail.replaceAll('=\n', '').replaceAll('=3D', '=')
  })
  return mails.find((mail) => [`To: ${email}`, ...parts].every((part) => mail.includes(part)))
}
