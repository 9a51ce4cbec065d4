import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { convertLead, mapped } from '../records/convert.ts'
import { changeRecord, createRecord, deleteRecord, restoreRecord, type Written } from '../records/record-changes.ts'
import { readInput } from '../records/record-input.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { getModule } from '../settings/modules.ts'
import type { JsonObject, Query } from '../wire/wire.ts'
import { type ById, back, create, find, readAmount, readForm, refuse, SECTIONS, STAFF, sendMissing } from './answers.ts'
import { addedFields } from './record-parts.ts'

/** The forms that make and change leads, deals and partners. */
export function recordForms(app: FastifyInstance, sandbox: Sandbox) {
  app.post('/leads', (request, reply) => {
    const form = readForm(request.body)
    const item = itemOf(form, ['Loan_Amount'])
    if (form['Partner']) item['Partner'] = { id: form['Partner'] }
    const written = create(sandbox, 'Leads', { Lead_Status: 'New Lead', ...item })
    if (written.ok) return back(reply, `/leads/${written.record.id}`, 'created')
    return refuse(reply, '/leads/new', written.failure, form)
  })

  app.post('/partners', (request, reply) => {
    const written = create(sandbox, 'Partners', itemOf(readForm(request.body), []))
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

  for (const module of ['Leads', 'Deals'] as const) {
    const section = SECTIONS[module]
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

function itemOf(form: Query, amounts: string[]): JsonObject {
  const item: JsonObject = {}
  for (const [name, value] of Object.entries(form)) {
    if (value !== '' && name !== 'Partner') item[name] = amounts.includes(name) ? readAmount(value) : value
  }
  return item
}
