import type { FastifyInstance } from 'fastify'
import { attach, findAttachment, readContent, refusal, removeAttachment } from '../records/attachments.ts'
import { changeRecord, deleteRecord } from '../records/record-changes.ts'
import { findRecord } from '../records/records-table.ts'
import { taskStatus } from '../records/tasks.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { STAFF_USER } from '../settings/people.ts'
import { type ById, back, create, find, readForm, refuse, SECTIONS, STAFF, sendMissing } from './answers.ts'
import { taskItem } from './tasks-section.ts'

/** The forms for what belongs to a record: attachments, notes and tasks. */
export function itemForms(app: FastifyInstance, sandbox: Sandbox) {
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
      const path = `/${section}/${parent.id}`
      if (!form['content']) return reply.redirect(`${path}?problem=Write+a+note+first`, 303)
      const item = { Note_Title: form['title'], Note_Content: form['content'], Parent_Id: { id: parent.id } }
      const written = create(sandbox, 'Notes', item)
      return written.ok ? back(reply, path, 'note') : refuse(reply, path, written.failure)
    })
    app.post<ById>(`/${section}/:id/tasks`, (request, reply) => {
      const record = find(sandbox, module, request.params.id)
      if (!record) return sendMissing(request, reply, section)
      const written = create(sandbox, 'Tasks', taskItem(sandbox, record, readForm(request.body)))
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
  }
}
