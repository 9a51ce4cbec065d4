import * as z from 'zod/mini'

/**
 * Does what the lender's staff do in the CRM, through the sandbox's API, and sets the sandbox's faults and switches
 * (D40, D43).
 */
export interface Lender {
  create(module: string, record: object): Promise<string>
  createMany(module: string, records: object[]): Promise<string[]>
  /**
   * Makes `count` copies of a record, with each copy's number in place of `#n#`. Faster than the API, and without
   * notifications.
   */
  fill(module: string, count: number, record: object): Promise<void>
  update(module: string, id: string, record: object): Promise<void>
  remove(module: string, id: string): Promise<void>
  /** Restores a record from the recycle bin, through the staff page. */
  restore(id: string): Promise<void>
  /** Merges records into `master`, which keeps its own values. */
  merge(module: string, master: string, ids: readonly string[]): Promise<void>
  removeMany(module: string, ids: readonly string[]): Promise<void>
  /** Converts a lead and returns the new deal's id, or '' if `deal` is null and staff make no deal. */
  convert(leadId: string, deal?: object | null): Promise<string>
  read(module: string, id: string): Promise<Record<string, unknown> | undefined>
  list(module: string, fields: string): Promise<Record<string, unknown>[]>
  addNote(module: string, id: string, note: { title?: string; content: string }): Promise<string>
  /** The files on a record, the newest first. */
  attachments(module: string, id: string): Promise<{ id: string; name: string; size: number }[]>
  openAttachment(module: string, id: string, attachment: string): Promise<Uint8Array>
  /** Attaches a file on the staff page. */
  attach(module: string, id: string, file: { name: string; content: string }): Promise<void>
  removeAttachment(module: string, id: string, attachment: string): Promise<void>
  /** Makes a custom field from Zoho's settings for one. */
  makeField(module: string, settings: object): Promise<void>
  removeField(module: string, apiName: string): Promise<void>
  /** The channels over which the CRM sends notifications. */
  watches(): Promise<Record<string, unknown>[]>
  faults(faults: object): Promise<void>
  behaviour(switches: object): Promise<void>
  calls(): Promise<{ total: number; credits_used: number; by_kind: Record<string, number> }>
  /** Empties the CRM and resets its faults and switches. */
  reset(): Promise<void>
}

const Token = z.object({ access_token: z.string() })
const Written = z.object({
  data: z.array(z.object({ status: z.literal('success'), details: z.object({ id: z.string() }) })),
})
const Records = z.object({ data: z.array(z.record(z.string(), z.unknown())) })
const Converted = z.object({
  data: z.array(z.object({ details: z.object({ Deals: z.nullish(z.object({ id: z.string() })) }) })),
})
const Fields = z.object({ fields: z.array(z.object({ id: z.string(), api_name: z.string() })) })
const Attachments = z.object({
  data: z.array(z.object({ id: z.string(), File_Name: z.string(), Size: z.string() })),
})
const Watches = z.object({ watch: z.array(z.record(z.string(), z.unknown())) })
const Calls = z.object({ total: z.number(), credits_used: z.number(), by_kind: z.record(z.string(), z.number()) })

export function openLender(sandboxUrl: string): Lender {
  let token: Promise<string> | undefined

  async function signIn(): Promise<string> {
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'sandbox',
      client_secret: 'sandbox',
      refresh_token: 'sandbox',
    })
    const response = await fetch(`${sandboxUrl}/oauth/v2/token`, { method: 'POST', body })
    return Token.parse(await response.json()).access_token
  }

  async function send(method: string, path: string, body?: object): Promise<Response> {
    token ??= signIn()
    return fetch(`${sandboxUrl}/crm/v8/${path}`, {
      method,
      headers: { authorization: `Zoho-oauthtoken ${await token}` },
      body: body ? JSON.stringify(body) : null,
    })
  }

  async function api(method: string, path: string, body?: object): Promise<unknown> {
    let response = await send(method, path, body)
    if (response.status === 401) {
      // A test made every token expire.
      token = undefined
      response = await send(method, path, body)
    }
    const text = await response.text()
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  async function control(path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${sandboxUrl}/sandbox/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  }

  async function createMany(module: string, records: object[]): Promise<string[]> {
    const ids: string[] = []
    for (let at = 0; at < records.length; at += 100) {
      const written = Written.parse(await api('POST', module, { data: records.slice(at, at + 100) }))
      ids.push(...written.data.map((item) => item.details.id))
    }
    return ids
  }

  async function create(module: string, record: object): Promise<string> {
    const [id = ''] = await createMany(module, [record])
    return id
  }

  return {
    create,
    createMany,
    fill: (module, count, record) =>
      control('fill', { module, from: 1, count, created: '2026-01-01T00:00:00Z', record }),
    async update(module, id, record) {
      await api('PUT', `${module}/${id}`, { data: [record] })
    },
    async remove(module, id) {
      await api('DELETE', `${module}/${id}`)
    },
    async restore(id) {
      const response = await fetch(`${sandboxUrl}/recycle-bin/${id}/restore`, { method: 'POST' })
      if (!response.ok) throw new Error(`restoring ${id}: ${response.status}`)
    },
    async merge(module, master, ids) {
      await api('POST', `${module}/${master}/actions/merge`, { merge: [{ data: ids.map((id) => ({ id })) }] })
    },
    async removeMany(module, ids) {
      for (let at = 0; at < ids.length; at += 100)
        await api('DELETE', `${module}?ids=${ids.slice(at, at + 100).join(',')}`)
    },
    async convert(leadId, deal = {}) {
      const made = { Deal_Name: 'A deal', Closing_Date: '2027-01-31', Stage: 'Information Received', ...deal }
      const data = [deal === null ? {} : { Deals: made }]
      const answer = Converted.parse(await api('POST', `Leads/${leadId}/actions/convert`, { data }))
      return answer.data[0]?.details.Deals?.id ?? ''
    },
    async read(module, id) {
      const answer = await api('GET', `${module}/${id}`)
      return answer === undefined ? undefined : Records.parse(answer).data[0]
    },
    async list(module, fields) {
      const answer = await api('GET', `${module}?fields=${fields}&converted=both&sort_order=asc`)
      return answer === undefined ? [] : Records.parse(answer).data
    },
    addNote: (module, id, { title, content }) =>
      create(`${module}/${id}/Notes`, { Note_Title: title ?? null, Note_Content: content }),
    async attachments(module, id) {
      const answer = await api('GET', `${module}/${id}/Attachments?fields=File_Name,Size`)
      const rows = answer === undefined ? [] : Attachments.parse(answer).data
      return rows.map((row) => ({ id: row.id, name: row.File_Name, size: Number(row.Size) }))
    },
    async openAttachment(module, id, attachment) {
      return new Uint8Array(await (await send('GET', `${module}/${id}/Attachments/${attachment}`)).arrayBuffer())
    },
    async attach(module, id, { name, content }) {
      const form = new FormData()
      form.append('file', new Blob([content]), name)
      const path = `${sandboxUrl}/${module.toLowerCase()}/${id}/attachments`
      const response = await fetch(path, { method: 'POST', body: form })
      if (!response.ok) throw new Error(`attaching ${name}: ${response.status}`)
    },
    async removeAttachment(module, id, attachment) {
      await api('DELETE', `${module}/${id}/Attachments/${attachment}`)
    },
    async makeField(module, settings) {
      await api('POST', `settings/fields?module=${module}`, { fields: [settings] })
    },
    async removeField(module, apiName) {
      const { fields } = Fields.parse(await api('GET', `settings/fields?module=${module}`))
      const field = fields.find((one) => one.api_name === apiName)
      await api('DELETE', `settings/fields/${field?.id}?module=${module}`)
    },
    async watches() {
      const answer = await api('GET', 'actions/watch')
      return answer === undefined ? [] : Watches.parse(answer).watch
    },
    faults: (faults) => control('faults', faults),
    behaviour: (switches) => control('behaviour', switches),
    calls: async () => Calls.parse(await (await fetch(`${sandboxUrl}/sandbox/calls`)).json()),
    reset: () => control('reset', {}),
  }
}
