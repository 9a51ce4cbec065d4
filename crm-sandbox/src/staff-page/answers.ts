import type { FastifyReply, FastifyRequest } from 'fastify'
import { createRecord, type Written } from '../records/record-changes.ts'
import { readInput } from '../records/record-input.ts'
import { type CrmRecord, findRecord, selectRecords } from '../records/records-table.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { getModule, type ModuleName } from '../settings/modules.ts'
import { type Actor, STAFF_USER } from '../settings/people.ts'
import { type Failure, isObject, type JsonObject, type Query } from '../wire/wire.ts'
import { html, type Part } from './html.ts'
import { layout, type Notice, type Page } from './layout.ts'

export const STAFF: Actor = { user: STAFF_USER, source: 'crm_ui' }

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

export const SECTIONS = { Partners: 'partners', Leads: 'leads', Deals: 'deals' } as const

export type ById = { Params: { id: string }; Querystring: Query }

/** Finds a record by id or by LOID, so that a person can type the address of a lead or deal. */
export function find(sandbox: Sandbox, module: ModuleName, idOrLoid: string): CrmRecord | undefined {
  const byId = findRecord(sandbox.store, module, idOrLoid)
  if (byId) return byId
  const clause = "WHERE r.module = ? AND (r.data ->> '$.LOID') = ? COLLATE NOCASE"
  return selectRecords(sandbox.store, clause, [module, idOrLoid])[0]
}

export function send(request: FastifyRequest, reply: FastifyReply, page: Page, status = 200) {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(layout({ ...page, notice: readNotice(request.query) }).html)
}

export function sendMissing(request: FastifyRequest, reply: FastifyReply, section: Page['section']) {
  const body: Part = html`<div class="head"><h1>Not found</h1></div><p class="empty">This page or record does not exist, or was deleted. <a href="/">Back to the leads</a></p>`
  return send(request, reply, { title: 'Not found', section, body }, 404)
}

export function readNotice(query: unknown): Notice | undefined {
  if (!isObject(query)) return undefined
  const { done, problem } = query
  if (typeof problem === 'string' && problem !== '') return { kind: 'problem', text: problem }
  const text = typeof done === 'string' ? DONE[done] : undefined
  return text ? { kind: 'done', text } : undefined
}

export function back(reply: FastifyReply, path: string, done: string) {
  return reply.redirect(`${path}?done=${done}`, 303)
}

export function refuse(reply: FastifyReply, path: string, failure: Failure, form: Query = {}) {
  const field = failure.details['api_name']
  const problem = `Not saved: ${failure.message}${typeof field === 'string' ? ` (${field.replaceAll('_', ' ')})` : ''}`
  return reply.redirect(`${path}?${new URLSearchParams({ ...form, problem }).toString()}`, 303)
}

export function readForm(body: unknown): Query {
  const form: Query = {}
  if (!isObject(body)) return form
  for (const [name, value] of Object.entries(body)) if (typeof value === 'string') form[name] = value.trim()
  return form
}

/** A new record, as staff would enter it. */
export function create(sandbox: Sandbox, module: ModuleName, item: JsonObject): Written {
  const input = readInput(sandbox, sandbox.fields.of(getModule(module)), item, '$', true)
  return input.ok
    ? sandbox.store.transaction(() => createRecord(sandbox, { module, values: input.values }, STAFF, '$'))
    : input
}

/** `$85,000` becomes 85000. Text that is not a number stays as it is and is refused like any other wrong value. */
export function readAmount(value: string | undefined): unknown {
  const plain = value?.replace(/[$,\s]/g, '') ?? ''
  if (plain === '') return null
  return Number.isNaN(Number(plain)) ? value : Number(plain)
}
