import { readFileSync } from 'node:fs'
import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import type { FastifyInstance } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'
import type { Query } from '../wire/wire.ts'
import { type ById, find, send, sendMissing } from './answers.ts'
import { dealPage } from './deal-page.ts'
import { itemForms } from './item-forms.ts'
import { leadPage, newLeadPage } from './lead-page.ts'
import { dealList, leadList, partnerList, recycleBin } from './lists.ts'
import { newPartnerPage, partnerPage } from './partner-page.ts'
import { recordForms } from './record-forms.ts'

/** Staff attach nothing larger on the page. The API takes what the switch attachmentBytesMax says. */
const STAFF_FILE_BYTES_MAX = 100 * 1024 * 1024

/**
 * The staff page, on which a person plays the lender. It uses the same functions as the API, so its changes also appear
 * in histories and cause notifications.
 */
export async function staffPage(app: FastifyInstance, sandbox: Sandbox) {
  await app.register(formbody)
  await app.register(multipart, { limits: { files: 1, fileSize: STAFF_FILE_BYTES_MAX } })
  const css = readFileSync(new URL('./staff.css', import.meta.url))
  const icon = readFileSync(new URL('./staff.svg', import.meta.url))
  app.addHook('onSend', async (_request, reply, payload) => {
    reply.header(
      'content-security-policy',
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    reply.header('cache-control', 'no-store')
    reply.header('x-content-type-options', 'nosniff')
    return payload
  })

  app.get('/staff.css', (_request, reply) => reply.type('text/css').send(css))
  app.get('/staff.svg', (_request, reply) => reply.type('image/svg+xml').send(icon))

  app.get<{ Querystring: Query }>('/', (request, reply) =>
    send(request, reply, { title: 'Leads', section: 'leads', body: leadList(sandbox, request.query) }),
  )
  app.get('/leads', (_request, reply) => reply.redirect('/'))
  app.get<{ Querystring: Query }>('/deals', (request, reply) =>
    send(request, reply, { title: 'Deals', section: 'deals', body: dealList(sandbox, request.query) }),
  )
  app.get<{ Querystring: Query }>('/partners', (request, reply) =>
    send(request, reply, { title: 'Partners', section: 'partners', body: partnerList(sandbox, request.query) }),
  )
  app.get('/recycle-bin', (request, reply) =>
    send(request, reply, { title: 'Recycle bin', section: 'bin', body: recycleBin(sandbox) }),
  )
  app.get<{ Querystring: Query }>('/leads/new', (request, reply) =>
    send(request, reply, { title: 'New lead', section: 'leads', body: newLeadPage(sandbox, request.query) }),
  )
  app.get<ById>('/leads/:id', (request, reply) => {
    const lead = find(sandbox, 'Leads', request.params.id)
    if (!lead) return sendMissing(request, reply, 'leads')
    return send(request, reply, { title: lead.name ?? 'Lead', section: 'leads', body: leadPage(sandbox, lead) })
  })
  app.get<ById>('/deals/:id', (request, reply) => {
    const deal = find(sandbox, 'Deals', request.params.id)
    if (!deal) return sendMissing(request, reply, 'deals')
    return send(request, reply, { title: deal.name ?? 'Deal', section: 'deals', body: dealPage(sandbox, deal) })
  })

  app.get('/partners/new', (request, reply) =>
    send(request, reply, { title: 'New partner', section: 'partners', body: newPartnerPage() }),
  )
  app.get<ById>('/partners/:id', (request, reply) => {
    const partner = find(sandbox, 'Partners', request.params.id)
    if (!partner) return sendMissing(request, reply, 'partners')
    const body = partnerPage(sandbox, partner)
    return send(request, reply, { title: partner.name ?? 'Partner', section: 'partners', body })
  })

  recordForms(app, sandbox)
  itemForms(app, sandbox)
  app.get('/*', (request, reply) => sendMissing(request, reply, 'leads'))
}
