import { join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { NotFound } from '../../platform/errors.ts'
import { listOutbox, readOutboxMail } from './outbox.ts'
import { OutboxView, outboxPage, SANDBOX } from './outbox-page.ts'

const SHOWN_MAX = 100
/** A file name that the mailer made, never a path. */
const Params = z.object({ id: z.string().check(z.regex(/^[\w-]{1,100}$/)) })

const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'"
/** A mail's content runs no scripts, loads nothing and opens its links in another tab. */
const MAIL_POLICY = `sandbox ${SANDBOX}; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'`

/**
 * Shows the mails of the outbox as people would see them. The page is for development without a mail server (D2).
 * Production never has it, because mails contain links that reset passwords.
 */
export function outboxRoutes(app: FastifyInstance, { config, mail }: Deps): void {
  if (mail.isDelivered || config.isProduction) return
  const folder = join(config.dataDir, 'outbox')

  app.get('/outbox', async ({ query }, reply) => {
    const mails = await readNewest()
    return send(reply, PAGE_POLICY, outboxPage(mails, mails[0], OutboxView.parse(query)))
  })
  app.get('/outbox/:id', async ({ params, query }, reply) => {
    const shown = await readOutboxMail(folder, idOf(params))
    return send(reply, PAGE_POLICY, outboxPage(await readNewest(), shown, OutboxView.parse(query)))
  })
  app.get('/outbox/:id/html', async ({ params }, reply) => {
    const { html } = await readOutboxMail(folder, idOf(params))
    return send(reply, MAIL_POLICY, html.replace('<head>', '<head><base target="_blank">'))
  })

  async function readNewest() {
    return Promise.all((await listOutbox(folder, SHOWN_MAX)).map((id) => readOutboxMail(folder, id)))
  }
}

function send(reply: FastifyReply, policy: string, html: string) {
  return reply
    .header('content-security-policy', policy)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(html)
}

function idOf(params: unknown): string {
  const parsed = Params.safeParse(params)
  if (!parsed.success) throw new NotFound('There is no such mail')
  return parsed.data.id
}
