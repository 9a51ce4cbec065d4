import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'

export interface Mail {
  to: string
  subject: string
  text: string
}

export interface Mailer {
  send(mail: Mail): Promise<void>
  /** Whether mails reach people, or only the outbox folder (D2). */
  isDelivered: boolean
}

interface MailSettings {
  smtpUrl: string | undefined
  mailFrom: string
  outbox: string
  log: Logger
}

/** A mail server that takes longer for one step is tried again by the job. */
const SMTP_MS_MAX = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Over SMTP where one is set; otherwise each mail becomes an .eml file in the outbox, named in the log. */
export function openMailer({ smtpUrl, mailFrom, outbox, log }: MailSettings): Mailer {
  if (smtpUrl) {
    return {
      isDelivered: true,
      async send(mail) {
        const { createTransport } = await loadNodemailer()
        await createTransport({ url: smtpUrl, ...SMTP_MS_MAX }).sendMail(message(mailFrom, mail))
      },
    }
  }
  return {
    isDelivered: false,
    async send(mail) {
      const { createTransport } = await loadNodemailer()
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
      const { message: text } = await composer.sendMail(message(mailFrom, mail))
      const file = join(outbox, `${Date.now()}-${randomUUID()}.eml`)
      await mkdir(outbox, { recursive: true, mode: 0o700 })
      await writeFile(file, text, { mode: 0o600 })
      log.info({ to: mail.to, subject: mail.subject, file }, 'mail written to the outbox')
    },
  }
}

/** With the first mail: no start waits for its forty modules. */
const loadNodemailer = () => import('nodemailer')

/** To one address, whatever it looks like: as text, `x,y@example.com` would be two. */
function message(from: string, { to, ...mail }: Mail) {
  return { from, to: { name: '', address: to }, ...mail }
}
