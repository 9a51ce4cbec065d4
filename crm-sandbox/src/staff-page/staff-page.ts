import { readFileSync } from 'node:fs'
import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { attach, findAttachment, readContent, refusal, removeAttachment } from '../records/attachments.ts'
import { convertLead, mapped } from '../records/convert.ts'
import { changeRecord, createRecord, deleteRecord, restoreRecord, type Written } from '../records/record-changes.ts'
import { readInput } from '../records/record-input.ts'
import { type CrmRecord, findRecord, selectRecords } from '../records/records-table.ts'
import { taskStatus } from '../records/tasks.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { getModule, type ModuleName } from '../settings/modules.ts'
import { type Actor, STAFF_USER } from '../settings/people.ts'
import { type Failure, isObject, type JsonObject, type Query } from '../wire/wire.ts'
import { dealPage } from './deal-page.ts'
import { html, type Part } from './html.ts'
import { layout, type Notice, type Page } from './layout.ts'
import { leadPage, newLeadPage } from './lead-page.ts'
import { dealList, leadList, partnerList, recycleBin } from './lists.ts'
import { newPartnerPage, partnerPage } from './partner-page.ts'
import { addedFields } from './record-parts.ts'
import { taskItem } from './tasks-section.ts'

const STAFF: Actor = { user: STAFF_USER, source: 'crm_ui' }

/** Staff attach nothing larger on the page. The API takes what the switch attachmentBytesMax says. */
const STAFF_FILE_BYTES_MAX = 100 * 1024 * 1024

const DONE: { [key: string]: string } = {
  status: 'Status saved.',
  converted: 'Lead converted to a deal.',
  dealless: 'Lead converted without a deal.',
  made: 'Deal made.',
  stage: 'Stage saved.',
  terms: 'Terms saved.',
  fields: 'Fields saved.',
  note: 'Note added.',
  asked: 'Task added.',
  task: 'Task saved.',
  attached: 'File attached.',
  detached: 'Attachment deleted.',
  created: 'Lead created.',
  partner: 'Partner created.',
  deleted: 'Moved to the recycle bin.',
  restored: 'Restored.',
}

const SECTIONS = { Partners: 'partners', Leads: 'leads', Deals: 'deals' } as const

type ById = { Params: { id: string }; Querystring: Query }

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

  app.post('/leads', (request, reply) => {
    const form = readForm(request.body)
    const item = itemOf(form, ['Loan_Amount'])
    if (form['Partner']) item['Partner'] = { id: form['Partner'] }
    const input = readInput(
      sandbox,
      sandbox.fields.of(getModule('Leads')),
      { Lead_Status: 'New Lead', ...item },
      '$',
      true,
    )
    const written: Written = input.ok
      ? sandbox.store.transaction(() => createRecord(sandbox, { module: 'Leads', values: input.values }, STAFF, '$'))
      : input
    if (written.ok) return back(reply, `/leads/${written.record.id}`, 'created')
    return refuse(reply, '/leads/new', written.failure, form)
  })

  app.post('/partners', (request, reply) => {
    const item = itemOf(readForm(request.body), [])
    const input = readInput(sandbox, sandbox.fields.of(getModule('Partners')), item, '$', true)
    const written: Written = input.ok
      ? sandbox.store.transaction(() => createRecord(sandbox, { module: 'Partners', values: input.values }, STAFF, '$'))
      : input
    if (written.ok) return back(reply, `/partners/${written.record.id}`, 'partner')
    return refuse(reply, '/partners/new', written.failure)
  })

  app.post<ById>('/leads/:id/status', (request, reply) =>
    edit(request, reply, 'Leads', 'status', (form) => ({ Lead_Status: form['status'] || null })),
  )
  app.post<ById>('/deals/:id/stage', (request, reply) =>
    edit(request, reply, 'Deals', 'stage', (form) => ({ Stage: form['stage'] })),
  )
  app.post<ById>('/deals/:id/terms', (request, reply) =>
    edit(request, reply, 'Deals', 'terms', (form) => ({
      Amount: readAmount(form['amount']),
      Closing_Date: form['closing'] || null,
    })),
  )

  app.post<ById>('/leads/:id/convert', (request, reply) => {
    const lead = find(sandbox, 'Leads', request.params.id)
    if (!lead) return sendMissing(request, reply, 'leads')
    const form = readForm(request.body)
    const input = form['without'] === 'deal' ? undefined : readDeal(form)
    if (input && !input.ok) return refuse(reply, `/leads/${lead.id}`, input.failure)
    const result = convertLead(sandbox, lead, input ? { deal: input.values } : {}, STAFF)
    if ('failure' in result) return refuse(reply, `/leads/${lead.id}`, result.failure)
    return result.deal
      ? back(reply, `/deals/${result.deal.id}`, 'converted')
      : back(reply, `/leads/${lead.id}`, 'dealless')
  })

  /** The deal of a lead that was converted without one. */
  app.post<ById>('/leads/:id/deal', (request, reply) => {
    const lead = find(sandbox, 'Leads', request.params.id)
    if (!lead) return sendMissing(request, reply, 'leads')
    const input = readDeal(readForm(request.body))
    if (!input.ok) return refuse(reply, `/leads/${lead.id}`, input.failure)
    const values = { ...mapped(sandbox, lead, 'Deals'), ...input.values }
    const made = sandbox.store.transaction(() => createRecord(sandbox, { module: 'Deals', values }, STAFF, '$'))
    if (!made.ok) return refuse(reply, `/leads/${lead.id}`, made.failure)
    return back(reply, `/deals/${made.record.id}`, 'made')
  })

  for (const module of ['Partners', 'Leads', 'Deals'] as const) {
    app.post<ById>(`/${SECTIONS[module]}/:id/fields`, (request, reply) =>
      edit(request, reply, module, 'fields', (form) =>
        Object.fromEntries(
          addedFields(sandbox, module).flatMap(({ apiName, type }) => {
            const value = form[apiName]
            if (value === undefined) return []
            return [[apiName, type === 'currency' || type === 'integer' ? readAmount(value) : value || null]]
          }),
        ),
      ),
    )
  }

  for (const module of ['Partners', 'Leads', 'Deals'] as const) {
    const section = SECTIONS[module]
    app.post<ById>(`/${section}/:id/attachments`, async (request, reply) => {
      const record = find(sandbox, module, request.params.id)
      if (!record) return sendMissing(request, reply, section)
      const path = `/${section}/${record.id}`
      const part = request.isMultipart() ? await request.file() : undefined
      if (!part?.filename) return reply.redirect(`${path}?problem=Choose+a+file+first`, 303)
      const content = await part.toBuffer()
      const refused = refusal(sandbox, part.filename, content)
      if (refused) return refuse(reply, path, refused.failure)
      attach(sandbox, record, { name: part.filename, content }, STAFF_USER)
      return back(reply, path, 'attached')
    })
    app.get<ById & { Params: { attachment: string } }>(`/${section}/:id/attachments/:attachment`, (request, reply) => {
      const record = find(sandbox, module, request.params.id)
      const found = record && findAttachment(sandbox, record, request.params.attachment)
      if (!found) return sendMissing(request, reply, section)
      return reply
        .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(found.name)}`)
        .type('application/octet-stream')
        .send(readContent(sandbox, found.id))
    })
    app.post<ById & { Params: { attachment: string } }>(
      `/${section}/:id/attachments/:attachment/delete`,
      (request, reply) => {
        const record = find(sandbox, module, request.params.id)
        if (!record) return sendMissing(request, reply, section)
        removeAttachment(sandbox, record, request.params.attachment)
        return back(reply, `/${section}/${record.id}`, 'detached')
      },
    )
  }
  for (const module of ['Leads', 'Deals'] as const) {
    const section = SECTIONS[module]
    app.post<ById>(`/${section}/:id/notes`, (request, reply) => {
      const parent = find(sandbox, module, request.params.id)
      if (!parent) return sendMissing(request, reply, section)
      const form = readForm(request.body)
      const item = { Note_Title: form['title'], Note_Content: form['content'], Parent_Id: { id: parent.id } }
      const input = readInput(sandbox, sandbox.fields.of(getModule('Notes')), item, '$', true)
      if (!input.ok) return refuse(reply, `/${section}/${parent.id}`, input.failure)
      if (!input.values['Note_Content'])
        return reply.redirect(`/${section}/${parent.id}?problem=Write+a+note+first`, 303)
      sandbox.store.transaction(() => createRecord(sandbox, { module: 'Notes', values: input.values }, STAFF, '$'))
      return back(reply, `/${section}/${parent.id}`, 'note')
    })
    app.post<ById>(`/${section}/:id/tasks`, (request, reply) => {
      const record = find(sandbox, module, request.params.id)
      if (!record) return sendMissing(request, reply, section)
      const item = taskItem(sandbox, record, readForm(request.body))
      const input = readInput(sandbox, sandbox.fields.of(getModule('Tasks')), item, '$', true)
      const written: Written = input.ok
        ? sandbox.store.transaction(() => createRecord(sandbox, { module: 'Tasks', values: input.values }, STAFF, '$'))
        : input
      const path = `/${section}/${record.id}`
      return written.ok ? back(reply, path, 'asked') : refuse(reply, path, written.failure)
    })
    app.post<ById & { Params: { task: string } }>(`/${section}/:id/tasks/:task`, (request, reply) => {
      const { id } = request.params
      const task = findRecord(sandbox.store, 'Tasks', request.params.task)
      if (!task) return sendMissing(request, reply, section)
      const { to, description } = readForm(request.body)
      const values = {
        Status: taskStatus(sandbox, to === 'accept' ? 'accepted' : 'again'),
        ...(description ? { Description: description } : {}),
      }
      sandbox.store.transaction(() => {
        if (to === 'withdraw') deleteRecord(sandbox, task, STAFF)
        else changeRecord(sandbox, task, { values }, STAFF, '$')
      })
      return back(reply, `/${section}/${id}`, to === 'withdraw' ? 'deleted' : 'task')
    })
    app.post<ById>(`/${section}/:id/delete`, (request, reply) => {
      const record = find(sandbox, module, request.params.id)
      if (!record) return sendMissing(request, reply, section)
      sandbox.store.transaction(() => deleteRecord(sandbox, record, STAFF))
      return back(reply, module === 'Leads' ? '/' : '/deals', 'deleted')
    })
  }

  app.post<ById>('/recycle-bin/:id/restore', (request, reply) => {
    if (!restoreRecord(sandbox, request.params.id, STAFF)) return sendMissing(request, reply, 'bin')
    return back(reply, '/recycle-bin', 'restored')
  })

  app.get('/*', (request, reply) => sendMissing(request, reply, 'leads'))

  function readDeal(form: Query) {
    const item: JsonObject = {
      Deal_Name: form['name'],
      Stage: form['stage'],
      Amount: readAmount(form['amount']),
      Closing_Date: form['closing'] || null,
    }
    return readInput(sandbox, sandbox.fields.of(getModule('Deals')), item, '$', true)
  }

  function edit(
    request: FastifyRequest<ById>,
    reply: FastifyReply,
    module: keyof typeof SECTIONS,
    done: string,
    itemFrom: (form: Query) => JsonObject,
  ) {
    const section = SECTIONS[module]
    const record = find(sandbox, module, request.params.id)
    if (!record) return sendMissing(request, reply, section)
    const input = readInput(sandbox, sandbox.fields.of(getModule(module)), itemFrom(readForm(request.body)), '$', false)
    const written: Written = input.ok
      ? sandbox.store.transaction(() => changeRecord(sandbox, record, { values: input.values }, STAFF, '$'))
      : input
    return written.ok
      ? back(reply, `/${section}/${record.id}`, done)
      : refuse(reply, `/${section}/${record.id}`, written.failure)
  }
}

/** Finds a record by id or by LOID, so that a person can type the address of a lead or deal. */
function find(sandbox: Sandbox, module: ModuleName, idOrLoid: string): CrmRecord | undefined {
  const byId = findRecord(sandbox.store, module, idOrLoid)
  if (byId) return byId
  const clause = "WHERE r.module = ? AND (r.data ->> '$.LOID') = ? COLLATE NOCASE"
  return selectRecords(sandbox.store, clause, [module, idOrLoid])[0]
}

function send(request: FastifyRequest, reply: FastifyReply, page: Page, status = 200) {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(layout({ ...page, notice: readNotice(request.query) }).html)
}

function sendMissing(request: FastifyRequest, reply: FastifyReply, section: Page['section']) {
  const body: Part = html`<div class="head"><h1>Not found</h1></div><p class="empty">This page or record does not exist, or was deleted. <a href="/">Back to the leads</a></p>`
  return send(request, reply, { title: 'Not found', section, body }, 404)
}

function readNotice(query: unknown): Notice | undefined {
  if (!isObject(query)) return undefined
  const { done, problem } = query
  if (typeof problem === 'string' && problem !== '') return { kind: 'problem', text: problem }
  const text = typeof done === 'string' ? DONE[done] : undefined
  return text ? { kind: 'done', text } : undefined
}

function back(reply: FastifyReply, path: string, done: string) {
  return reply.redirect(`${path}?done=${done}`, 303)
}

function refuse(reply: FastifyReply, path: string, failure: Failure, form: Query = {}) {
  const field = failure.details['api_name']
  const problem = `Not saved: ${failure.message}${typeof field === 'string' ? ` (${field.replaceAll('_', ' ')})` : ''}`
  return reply.redirect(`${path}?${new URLSearchParams({ ...form, problem }).toString()}`, 303)
}

function readForm(body: unknown): Query {
  const form: Query = {}
  if (!isObject(body)) return form
  for (const [name, value] of Object.entries(body)) if (typeof value === 'string') form[name] = value.trim()
  return form
}

function itemOf(form: Query, amounts: string[]): JsonObject {
  const item: JsonObject = {}
  for (const [name, value] of Object.entries(form)) {
    if (value !== '' && name !== 'Partner') item[name] = amounts.includes(name) ? readAmount(value) : value
  }
  return item
}

/** `$85,000` becomes 85000. Text that is not a number stays as it is and is refused like any other wrong value. */
function readAmount(value: string | undefined): unknown {
  const plain = value?.replace(/[$,\s]/g, '') ?? ''
  if (plain === '') return null
  return Number.isNaN(Number(plain)) ? value : Number(plain)
}
