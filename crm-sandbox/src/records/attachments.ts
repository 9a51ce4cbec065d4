import { createHash } from 'node:crypto'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { queueNotices } from '../notifications/notices.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { findModule } from '../settings/modules.ts'
import type { User } from '../settings/people.ts'
import { number, type Row, text, textOrNull } from '../store.ts'
import { pageInfo, readFields, readPage } from '../wire/paging.ts'
import { showInstant, storedInstant } from '../wire/times.ts'
import { ApiError, failure, type ItemResult, type JsonObject, type Query, sendItems } from '../wire/wire.ts'
import { isId, requireModule } from './addresses.ts'
import { showUser } from './record-view.ts'
import { API } from './records.ts'
import { type CrmRecord, findRecord, updateRow } from './records-table.ts'

const PARENT_MODULES = ['Leads', 'Deals', 'Contacts', 'Accounts', 'Partners', 'Notes'] as const
const NAME_MAX = 250
const TITLE_MAX = 255
const URL_MAX = 3_000
/** The test file that every virus scanner reports. */
const EICAR = 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE'
const COLUMNS =
  'a.id, a.parent_id, a.parent_module, a.name, a.size, a.link, a.created_by, a.created_time, a.modified_time'

export type Attachment = {
  id: string
  parentId: string
  parentModule: string
  name: string
  size: number
  /** The address that a link leads to. A file has none. */
  link: string | null
  createdBy: string
  createdTime: string
  modifiedTime: string
}

type OfRecord = { Params: { module: string; id: string }; Querystring: Query }
type One = { Params: { module: string; id: string; attachment: string } }

/** Lists, takes, gives and deletes the files of a record, as Zoho does for every module with attachments. */
export async function attachmentRoutes(app: FastifyInstance, sandbox: Sandbox) {
  // The largest body is a switch, so the upload itself is read without a limit of its own.
  await app.register(multipart, { limits: { files: 1, fileSize: Number.MAX_SAFE_INTEGER } })

  app.get<OfRecord>('/crm/v8/:module/:id/Attachments', (request, reply) => {
    const parent = requireParent(sandbox, request.params)
    const fields = readFields(request.query)
    const page = readPage(request.query)
    const wanted = request.query['ids']?.split(',').map((id) => id.trim())
    const all = findAttachmentsOf(sandbox, parent).filter(({ id }) => wanted?.includes(id) ?? true)
    const shown = all.slice(page.offset, page.offset + page.perPage)
    if (shown.length === 0) return reply.code(204).send()
    return {
      data: shown.map((one) => showAttachment(sandbox, one, fields)),
      info: pageInfo(page, shown.length, all.length > page.offset + page.perPage),
    }
  })

  app.get<{ Querystring: Query }>('/crm/v8/Attachments', (request, reply) => {
    const behaviour = sandbox.behaviour().attachmentsOfOrganisation
    if (behaviour === 'refused') {
      throw new ApiError(400, 'INVALID_MODULE', { resource_path_index: 0 }, 'the module name given seems to be invalid')
    }
    const fields = readFields(request.query)
    const page = readPage(request.query)
    const rows =
      behaviour === 'empty'
        ? []
        : sandbox.store.all(
            `SELECT ${COLUMNS} FROM attachments a ORDER BY a.modified_time DESC, a.id DESC LIMIT ? OFFSET ?`,
            page.perPage + 1,
            page.offset,
          )
    if (rows.length === 0) return reply.code(204).send()
    const shown = rows.slice(0, page.perPage).map((row) => showAttachment(sandbox, fromRow(row), fields))
    return { data: shown, info: pageInfo(page, shown.length, rows.length > page.perPage) }
  })

  app.post<OfRecord>('/crm/v8/:module/:id/Attachments', async (request, reply) => {
    const parent = requireParent(sandbox, request.params)
    const { attachmentUrl, title } = request.query
    const given = attachmentUrl === undefined ? await readFile(sandbox, request) : readLink(attachmentUrl, title)
    const refused = given.content && refusal(sandbox, given.name, given.content)
    if (refused) return reply.code(refused.status).send(refused.failure)
    const { id, createdTime, modifiedTime } = attach(sandbox, parent, given, API.user)
    const { timesOffset } = sandbox.behaviour()
    const by = showUser(API.user.id, false)
    const details = {
      Modified_Time: showInstant(modifiedTime, timesOffset),
      Modified_By: by,
      Created_Time: showInstant(createdTime, timesOffset),
      id,
      Created_By: by,
    }
    const message = 'attachment uploaded successfully'
    return reply.send({ data: [{ code: 'SUCCESS', details, message, status: 'success' }] })
  })

  app.get<One>('/crm/v8/:module/:id/Attachments/:attachment', (request, reply) => {
    const found = findAttachment(sandbox, requireParent(sandbox, request.params), request.params.attachment)
    if (!found) return reply.code(204).send()
    if (found.link !== null) {
      throw new ApiError(400, 'INVALID_DATA', { resource_path_index: 3 }, 'the related id given seems to be invalid')
    }
    return reply
      .header('content-disposition', `attachment;filename*=UTF-8''${encodeURIComponent(found.name)}`)
      .type('application/octet-stream;charset=UTF-8')
      .send(readContent(sandbox, found.id))
  })

  app.delete<One>('/crm/v8/:module/:id/Attachments/:attachment', (request, reply) => {
    const parent = requireParent(sandbox, request.params)
    return sendItems(reply, [remove(sandbox, parent, request.params.attachment)], 200)
  })

  app.delete<OfRecord>('/crm/v8/:module/:id/Attachments', (request, reply) => {
    const parent = requireParent(sandbox, request.params)
    const ids = (request.query['ids'] ?? '').split(',').map((id) => id.trim())
    return sendItems(
      reply,
      ids.map((id) => remove(sandbox, parent, id)),
      200,
    )
  })
}

export function findAttachmentsOf({ store }: Sandbox, { id }: CrmRecord): Attachment[] {
  const rows = store.all(
    `SELECT ${COLUMNS} FROM attachments a WHERE a.parent_id = ? ORDER BY a.created_time DESC, a.id DESC`,
    id,
  )
  return rows.map(fromRow)
}

export function findAttachment({ store }: Sandbox, parent: CrmRecord, id: string): Attachment | undefined {
  const row = store.get(`SELECT ${COLUMNS} FROM attachments a WHERE a.parent_id = ? AND a.id = ?`, parent.id, id)
  return row && fromRow(row)
}

export function readContent({ store }: Sandbox, id: string): Uint8Array {
  const content = store.get('SELECT content FROM attachment_contents WHERE id = ?', id)?.['content']
  return content instanceof Uint8Array ? content : new Uint8Array()
}

export type Given = { name: string; content?: Uint8Array; link?: string }

/** Stores a file or link on the record. Whether that changes or notifies the record is a switch. */
export function attach(sandbox: Sandbox, parent: CrmRecord, { name, content, link }: Given, by: User): Attachment {
  const { store } = sandbox
  const { attachmentBumpsParent, attachmentNotifies } = sandbox.behaviour()
  return store.transaction(() => {
    const at = storedInstant(sandbox.now())
    const id = store.nextId()
    const size = content?.byteLength ?? 0
    store.run(
      `INSERT INTO attachments (id, parent_id, parent_module, name, size, link, created_by, created_time, modified_time)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      parent.id,
      parent.module,
      name,
      size,
      link ?? null,
      by.id,
      at,
      at,
    )
    if (content) store.run('INSERT INTO attachment_contents (id, content) VALUES (?, ?)', id, content)
    // Staff may have changed the record while the file arrived.
    const record = attachmentBumpsParent ? findRecord(store, parent.module, parent.id) : undefined
    if (record) updateRow(store, { ...record, modifiedTime: at, modifiedBy: by.id })
    if (attachmentNotifies) queueNotices(sandbox, parent, 'edit', { Attachments: id })
    const created = { id, parentId: parent.id, parentModule: parent.module, name, size, link: link ?? null }
    return { ...created, createdBy: by.id, createdTime: at, modifiedTime: at }
  })
}

/** Deletes a file or link. Returns false if the record has no such attachment. */
export function removeAttachment({ store }: Sandbox, parent: CrmRecord, id: string): boolean {
  return store.transaction(() => {
    const found = store.get('SELECT 1 AS found FROM attachments WHERE parent_id = ? AND id = ?', parent.id, id)
    store.run('DELETE FROM attachments WHERE parent_id = ? AND id = ?', parent.id, id)
    store.run('DELETE FROM attachment_contents WHERE id NOT IN (SELECT id FROM attachments)')
    return found !== undefined
  })
}

/** Moves a converted lead's attachments without changing their times. Call it within the conversion's transaction. */
export function moveAttachments(
  sandbox: Sandbox,
  lead: CrmRecord,
  { deal, contact }: { deal: CrmRecord | null; contact: CrmRecord },
) {
  const to = sandbox.behaviour().conversionMovesAttachments
  if (to === 'no') return
  const { id, module } = to === 'deal' && deal ? deal : contact
  sandbox.store.run('UPDATE attachments SET parent_id = ?, parent_module = ? WHERE parent_id = ?', id, module, lead.id)
}

/** Why the organisation does not take a file, or undefined. */
export function refusal(sandbox: Sandbox, name: string, content: Uint8Array): ApiError | undefined {
  const { attachmentBytesMax, fileStorageBytesMax, sizeRefusal, storageRefusal } = sandbox.behaviour()
  if (content.byteLength > attachmentBytesMax) {
    const details = { maximum_size: attachmentBytesMax }
    return new ApiError(413, sizeRefusal, details, 'The size of the file exceeds the maximum that is allowed')
  }
  if (/\.exe$/i.test(name)) {
    return new ApiError(400, 'INVALID_DATA', { api_name: 'file' }, 'files of this type cannot be attached')
  }
  if (Buffer.from(content).includes(EICAR)) {
    return new ApiError(400, 'VIRUS_DETECTED', { api_name: 'file' }, 'the file contains a virus')
  }
  const used = number(sandbox.store.get('SELECT coalesce(sum(size), 0) AS used FROM attachments')?.['used'])
  if (used + content.byteLength <= fileStorageBytesMax) return undefined
  return new ApiError(400, storageRefusal, {}, 'The file storage space of the organisation is used up')
}

async function readFile(sandbox: Sandbox, request: FastifyRequest): Promise<{ name: string; content: Uint8Array }> {
  const missing = new ApiError(
    400,
    'REQUIRED_PARAM_MISSING',
    { param_name: 'file' },
    'One of the expected parameter is missing',
  )
  if (!request.isMultipart()) throw missing
  const part = await request.file()
  if (part?.fieldname !== 'file') throw missing
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of part.file) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('a file arrives as bytes')
    size += chunk.byteLength
    // The rest of a file that is too large is read and thrown away, as the refusal needs only its size.
    if (size <= sandbox.behaviour().attachmentBytesMax + chunk.byteLength) chunks.push(chunk)
  }
  return { name: part.filename.slice(0, NAME_MAX), content: Buffer.concat(chunks) }
}

function readLink(url: string, title: string | undefined): Given {
  const isTooLong = url.length > URL_MAX || (title ?? '').length > TITLE_MAX
  if (isTooLong || !URL.canParse(url)) {
    throw new ApiError(400, 'INVALID_DATA', { param_name: 'attachmentUrl' }, 'invalid data')
  }
  return { name: title ?? url.slice(0, NAME_MAX), link: url }
}

function remove(sandbox: Sandbox, parent: CrmRecord, id: string): ItemResult {
  if (!isId(id) || !removeAttachment(sandbox, parent, id)) {
    return failure('INVALID_DATA', { id }, 'the related id given seems to be invalid')
  }
  return { code: 'SUCCESS', details: { id }, message: 'record deleted', status: 'success' }
}

/** A record in the recycle bin is no parent. */
function requireParent(sandbox: Sandbox, params: { module: string; id: string }): CrmRecord {
  const { name } = requireModule(sandbox, params.module)
  if (!PARENT_MODULES.some((one) => one === name)) {
    throw new ApiError(400, 'INVALID_MODULE', { resource_path_index: 0 }, 'the module name given seems to be invalid')
  }
  const parent = isId(params.id) ? findRecord(sandbox.store, name, params.id) : undefined
  if (parent) return parent
  const details = { related_status: 'deleted', resource_path_index: 1 }
  throw new ApiError(400, 'INVALID_DATA', details, 'the related id given seems to be invalid')
}

function showAttachment(sandbox: Sandbox, one: Attachment, fields: string[]): JsonObject {
  const { timesOffset } = sandbox.behaviour()
  const all: JsonObject = {
    File_Name: one.name,
    // Zoho sends the size as text.
    Size: String(one.size),
    Created_Time: showInstant(one.createdTime, timesOffset),
    Modified_Time: showInstant(one.modifiedTime, timesOffset),
    Created_By: showUser(one.createdBy, true),
    Modified_By: showUser(one.createdBy, true),
    Owner: showUser(one.createdBy, true),
    Parent_Id: {
      name: null,
      id: one.parentId,
      module: { api_name: one.parentModule, id: findModule(one.parentModule)?.id },
    },
    $file_id: createHash('sha256').update(one.id).digest('hex'),
    $type: one.link === null ? 'Attachment' : 'Link',
    $se_module: one.parentModule,
    $state: 'save',
    $link_url: one.link,
    $editable: true,
  }
  return Object.fromEntries([
    ['id', one.id],
    ...fields.flatMap((name) => (Object.hasOwn(all, name) ? [[name, all[name]]] : [])),
  ])
}

function fromRow(row: Row): Attachment {
  return {
    id: text(row['id']),
    parentId: text(row['parent_id']),
    parentModule: text(row['parent_module']),
    name: text(row['name']),
    size: number(row['size']),
    link: textOrNull(row['link']),
    createdBy: text(row['created_by']),
    createdTime: text(row['created_time']),
    modifiedTime: text(row['modified_time']),
  }
}
