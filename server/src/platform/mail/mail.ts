import { mkdir, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Brand } from '../brand/brand.ts'
import { newId } from '../db/ids.ts'
import { inSpan } from '../trace.ts'
import type { MailPart } from './mail-parts.ts'
import { LOGO_CID, renderMail } from './render-mail.ts'

export interface Mail {
  to: string
  subject: string
  /** The mail's parts from top to bottom. */
  parts: readonly MailPart[]
  /**
   * An id that is the same each time this mail is sent, so that a repeat can be recognised. It becomes the Message-ID
   * and the name of the file in the outbox. A mail without an id is a new mail each time it is sent.
   */
  id?: string
  /** When the mail was written; absent means now. */
  date?: Date
  /**
   * The address that a mail program calls when the reader unsubscribes, with one click, from the kinds of news in this
   * mail (RFC 8058). Mails about the account have no such address.
   */
  unsubscribeUrl?: string
}

export interface Mailer {
  /** Rejects unless the mail was accepted. Over SMTP, a mail may have been accepted even if `send` rejects. */
  send(mail: Mail): Promise<void>
  /** Whether mails reach people, or only the outbox folder (D2). */
  isDelivered: boolean
  /** Loads what sending needs, so that a process without a free descriptor can still send. */
  load(): Promise<void>
}

interface MailSettings {
  smtpUrl: string | undefined
  /** If true, a server that offers no TLS gets no mail (D98). */
  requiresTls: boolean
  mailFrom: string
  /** At the head of every mail (D115). */
  brand: Brand
  /** Stands below every mail, if there is one (D134). */
  privacyUrl?: string | undefined
  outbox: string
  log: Logger
}

/**
 * If a mail server takes longer for one step, or for the whole mail, the job tries again later. A server that scans for
 * viruses may take minutes to accept a mail (RFC 5321 4.5.3.2.6).
 */
const SMTP_MS_MAX = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 300_000 }
const SEND_MS_MAX = 360_000

/**
 * Sends over SMTP if a server is set. Otherwise each mail becomes an .eml file in the outbox, and the log names the
 * file.
 */
export function openMailer({ smtpUrl, requiresTls, outbox, log, ...letterhead }: MailSettings): Mailer {
  const contentOf = (mail: Mail) => message(letterhead, mail)
  if (smtpUrl) {
    return {
      isDelivered: true,
      load,
      async send(mail) {
        const { createTransport } = loadNodemailer()
        const transport = createTransport({ url: smtpUrl, requireTLS: requiresTls, ...SMTP_MS_MAX })
        const content = await contentOf(mail)
        await inSpan({ name: 'send mail', kind: 'client' }, () =>
          transport.sendMail({ ...content, signal: AbortSignal.timeout(SEND_MS_MAX) }),
        )
      },
    }
  }
  return {
    isDelivered: false,
    load,
    async send(mail) {
      const { createTransport } = loadNodemailer()
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
      const { id = newId() } = mail
      const { message: text } = await composer.sendMail(await contentOf({ ...mail, id }))
      const file = join(outbox, `${id}.eml`)
      const unfinished = `${outbox}-${id}`
      await mkdir(outbox, { recursive: true, mode: 0o700 })
      await writeFile(unfinished, text, { mode: 0o600 })
      // The file appears only when it is complete. A repeated mail replaces the first file.
      await rename(unfinished, file)
      log.info({ to: mail.to, subject: mail.subject, file }, 'mail written to the outbox')
    },
  }
}

/**
 * Loaded after the start, so that no start waits for the library’s forty modules. An `import` of it would import
 * node:http, which is large (`node-http.ts`).
 */
function loadNodemailer(): typeof import('nodemailer') {
  return createRequire(import.meta.url)('nodemailer')
}

async function load(): Promise<void> {
  loadNodemailer()
}

function privacyNotice(url: string): MailPart {
  return { part: 'footer', text: 'How your data is handled:', label: 'Privacy notice', url }
}

type Letterhead = Pick<MailSettings, 'mailFrom' | 'brand' | 'privacyUrl'>

async function message({ mailFrom: from, brand, privacyUrl }: Letterhead, mail: Mail) {
  const { to, subject, id, date, unsubscribeUrl } = mail
  const parts = privacyUrl === undefined ? mail.parts : [...mail.parts, privacyNotice(privacyUrl)]
  return {
    from,
    // An object is always one address. As plain text, `x,y@example.com` would be two addresses.
    to: { name: '', address: to },
    subject,
    ...(date && { date }),
    ...(id && { messageId: `<${id}@${domainOf(from)}>` }),
    ...(unsubscribeUrl && {
      headers: { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    }),
    textEncoding: 'quoted-printable' as const,
    ...(await renderMail({ subject, parts }, brand)),
    attachments: attachedLogo(brand),
  }
}

/** Mail programs show no SVG, and few of them load pictures from elsewhere, so a PNG comes with the mail. */
function attachedLogo({ logo }: Brand) {
  if (logo?.type !== 'image/png') return []
  const { bytes: content, type: contentType } = logo
  return [{ cid: LOGO_CID, filename: 'logo.png', content, contentType, contentDisposition: 'inline' as const }]
}

/** The domain of `Partner Portal <portal@example.com>` is example.com. */
function domainOf(sender: string): string {
  return /@([^\s>]+)>?\s*$/.exec(sender)?.[1] ?? 'localhost'
}
