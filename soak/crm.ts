import * as z from 'zod/mini'

export type CrmRow = Record<string, unknown> & { id: string }

/** The actions of the lender's staff, through the sandbox's API and its staff page. Faults do not affect them. */
export interface Crm {
  list(module: string, fields: readonly string[]): Promise<CrmRow[]>
  findByLoid(module: string, loid: string): Promise<string | undefined>
  create(module: string, record: object): Promise<string>
  update(module: string, id: string, record: object): Promise<void>
  remove(module: string, id: string): Promise<void>
  restore(id: string): Promise<void>
  /** Merges a record into `master`, which takes the record's values of these fields. */
  merge(module: string, master: string, id: string, fields: readonly string[]): Promise<void>
  /** Lets a workflow set values of all records of a module. */
  runWorkflow(module: string, values: object): Promise<void>
  addNote(module: string, id: string, content: string): Promise<void>
  /** Attaches a file of one line. */
  attach(module: string, id: string, name: string): Promise<string>
  /** The files of a record, the newest first. */
  attachments(module: string, id: string): Promise<{ id: string; name: string }[]>
  removeAttachment(module: string, id: string, attachment: string): Promise<void>
  /** Converts a lead. Returns the id of its deal; undefined if it gets none. */
  convert(leadId: string, deal: object | undefined): Promise<string | undefined>
  /** The statuses of a lead from its timeline, oldest first. */
  leadStatuses(id: string, current: string | null): Promise<string[]>
  dealStages(id: string): Promise<string[]>
  behaviour(switches: object): Promise<void>
  switches(): Promise<Switch[]>
  faults(faults: object): Promise<void>
}

const Switches = z.object({
  switches: z.array(z.object({ name: z.string(), default: z.unknown(), choices: z.nullable(z.array(z.unknown())) })),
})
export type Switch = z.infer<typeof Switches>['switches'][number]

const Rows = z.object({
  data: z.array(z.looseObject({ id: z.string() })),
  info: z.object({ next_page_token: z.nullish(z.string()) }),
})
const Written = z.object({
  data: z
    .array(z.object({ status: z.literal('success'), details: z.object({ id: z.string() }) }))
    .check(z.minLength(1)),
})
const Converted = z.object({
  data: z
    .array(z.object({ details: z.object({ Deals: z.nullish(z.object({ id: z.string() })) }) }))
    .check(z.minLength(1)),
})
const Timeline = z.object({
  __timeline: z.array(
    z.object({
      field_history: z.nullable(
        z.array(
          z.object({
            api_name: z.string(),
            _value: z.object({ old: z.nullable(z.string()), new: z.nullable(z.string()) }),
          }),
        ),
      ),
    }),
  ),
})

/** The id of the partner's record that this record names; '' if it names none. */
export function partnerOf({ Partner }: CrmRow): string {
  return typeof Partner === 'object' && Partner !== null && 'id' in Partner ? String(Partner.id) : ''
}

/** The CRM refused the staff's action, for example because the record is deleted or converted. */
export class StaffRefused extends Error {}

export function openCrm(url: string): Crm {
  let token: Promise<string> | undefined

  async function signIn(): Promise<string> {
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'sandbox',
      client_secret: 'sandbox',
      refresh_token: 'sandbox',
    })
    const response = await fetch(`${url}/oauth/v2/token`, {
      method: 'POST',
      body,
      headers: { 'x-spare-faults': 'true' },
    })
    return z.object({ access_token: z.string() }).parse(await response.json()).access_token
  }

  async function api(method: string, path: string, body?: object): Promise<unknown> {
    token ??= signIn()
    const response = await fetch(`${url}/crm/v8/${path}`, {
      method,
      headers: { authorization: `Zoho-oauthtoken ${await token}`, 'x-spare-faults': 'true' },
      body: body instanceof FormData ? body : body ? JSON.stringify(body) : null,
    })
    const text = await response.text()
    if (response.status === 401) {
      // A fault invalidated every token.
      token = undefined
      return api(method, path, body)
    }
    if (response.status === 429) return api(method, path, body)
    if (response.status >= 300) throw new StaffRefused(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  async function control(path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}/sandbox/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  }

  async function list(module: string, fields: readonly string[]): Promise<CrmRow[]> {
    const query = `fields=${fields.join(',')}&converted=both&sort_order=asc`
    const rows: CrmRow[] = []
    for (let position = ''; ; ) {
      const answer = await api('GET', `${module}?${query}${position}`)
      if (answer === undefined) return rows
      const { data, info } = Rows.parse(answer)
      rows.push(...data)
      if (!info.next_page_token) return rows
      position = `&page_token=${info.next_page_token}`
    }
  }

  return {
    list,
    async findByLoid(module, loid) {
      const answer = await api('POST', 'coql', { select_query: `select id from ${module} where LOID = '${loid}'` })
      return answer === undefined ? undefined : Rows.parse(answer).data[0]?.id
    },
    async create(module, record) {
      const answer = Written.parse(await api('POST', module, { data: [record] }))
      return answer.data[0]?.details.id ?? ''
    },
    async update(module, id, record) {
      await api('PUT', `${module}/${id}`, { data: [record] })
    },
    async remove(module, id) {
      await api('DELETE', `${module}/${id}`)
    },
    async restore(id) {
      const response = await fetch(`${url}/recycle-bin/${id}/restore`, { method: 'POST', redirect: 'manual' })
      if (response.status !== 303) throw new StaffRefused(`restore ${id}: ${response.status}`)
    },
    async merge(module, master, id, fields) {
      const data = [{ id, _fields: fields.map((api_name) => ({ api_name })) }]
      await api('POST', `${module}/${master}/actions/merge`, { merge: [{ data }] })
    },
    runWorkflow: (module, values) => control('workflow', { module, values }),
    async addNote(module, id, content) {
      await api('POST', `${module}/${id}/Notes`, { data: [{ Note_Title: 'Staff', Note_Content: content }] })
    },
    async attach(module, id, name) {
      const form = new FormData()
      form.append('file', new Blob([`The lender's ${name}`]), name)
      return Written.parse(await api('POST', `${module}/${id}/Attachments`, form)).data[0]?.details.id ?? ''
    },
    async attachments(module, id) {
      const answer = await api('GET', `${module}/${id}/Attachments?fields=File_Name`)
      return answer === undefined
        ? []
        : Rows.parse(answer).data.map((row) => ({ id: row.id, name: String(row['File_Name']) }))
    },
    async removeAttachment(module, id, attachment) {
      await api('DELETE', `${module}/${id}/Attachments/${attachment}`)
    },
    async convert(leadId, deal) {
      const answer = await api('POST', `Leads/${leadId}/actions/convert`, { data: [{ Deals: deal }] })
      return Converted.parse(answer).data[0]?.details.Deals?.id
    },
    async leadStatuses(id, current) {
      const answer = await api('GET', `Leads/${id}/__timeline?sort_order=asc&per_page=200`)
      const changes = Timeline.parse(answer).__timeline.flatMap(
        (entry) => entry.field_history?.filter((one) => one.api_name === 'Lead_Status').map((one) => one._value) ?? [],
      )
      const first = changes[0] ? changes[0].old : current
      return [first, ...changes.map((change) => change.new)].filter((status) => status !== null)
    },
    async dealStages(id) {
      const answer = await api('GET', `Deals/${id}/Stage_History?fields=Stage`)
      const rows = answer === undefined ? [] : Rows.parse(answer).data
      const stages = rows.map((row) => String(row['Stage'])).toReversed()
      return stages.filter((stage, index) => stage !== stages[index - 1])
    },
    behaviour: (switches) => control('behaviour', switches),
    switches: async () => Switches.parse(await (await fetch(`${url}/sandbox/behaviour`)).json()).switches,
    faults: (faults) => control('faults', faults),
  }
}
