import * as z from 'zod/mini'
import { isMissing, readResults } from '../answers.ts'
import { readItems } from '../api.ts'
import { CrmForbidden, CrmRefused } from '../errors.ts'
import { usedChoices } from '../metadata.ts'
import { type Checked, isOfScope, type Trial, Wrong } from './trial.ts'

const NO_LOID = 'LO-00000000'
/** No record has this id, so a write to it is refused before it changes anything. */
const NO_ID = '1'
const NO_FILE = {
  name: 'trial.txt',
  size: 5,
  async *read() {
    yield Buffer.from('trial')
  },
}
const LONG_AGO = '2000-01-01T00:00:00+00:00'

const License = z.object({ license_details: z.object({ paid_type: z.string() }) })

const writing: Trial = {
  name: 'Writing',
  scope: 'ZohoCRM.modules.ALL',
  async run({ api, fieldMap: { partners, leads, deals } }, signal) {
    for (const { module } of [partners, leads, deals]) {
      const body = { data: [{ id: NO_ID }] }
      readResults(await api.write({ method: 'PUT', path: module, body, isRepeatable: true, signal }))
    }
    return 'allowed'
  },
}

const documents: Trial = {
  name: 'Documents',
  scope: 'ZohoCRM.modules.ALL',
  async run({ api, fieldMap: { leads, deals } }, signal) {
    for (const { module } of [leads, deals]) {
      const answer = await api.get(`${module}/${NO_ID}/Attachments`, { fields: 'id' }, { signal })
      // No record has this id, and an organisation that gives its attachments says so.
      if (!isMissing(answer)) readItems(answer)
      const sent = await api.upload(`${module}/${NO_ID}/Attachments`, NO_FILE, signal)
      if (!isMissing(sent)) readResults(sent)
    }
    const about = await unlessRefused(async () => (await api.items('org', {}, { signal, key: 'org' }))[0])
    if (License.safeParse(about).data?.license_details.paid_type === 'free') {
      throw new Wrong('The Free edition of Zoho has no room for files, so partners’ files wait. Choose another edition')
    }
    const listed = await unlessRefused(() => api.items('Attachments', { fields: 'id', per_page: '1' }, { signal }))
    const found = listed
      ? 'and listed for all records at once, so new ones are found within five minutes'
      : 'but not listed for all records at once, so new ones are found when a record is opened or has changed'
    return `are taken and given, ${found}. Whether there is room for more is known when one is sent`
  },
}

const queries: Trial = {
  name: 'Queries',
  scope: 'ZohoCRM.coql.READ',
  async run({ api, fieldMap: { leads, deals } }, signal) {
    for (const { module, fields } of [leads, deals]) {
      await api.coql(`select id from ${module} where ${fields.loid} = '${NO_LOID}' limit 0, 1`, signal)
    }
    return 'work'
  },
}

const search: Trial = {
  name: 'Search',
  scope: 'ZohoSearch.securesearch.READ',
  async run({ api, fieldMap: { leads } }, signal) {
    const { loid } = leads.fields
    const query = { criteria: `(${loid}:equals:${NO_LOID})`, converted: 'true', fields: loid }
    await api.items(`${leads.module}/search`, query, { signal })
    return 'works'
  },
}

const notes: Trial = {
  name: 'Notes',
  scope: 'ZohoCRM.modules.ALL',
  async run({ api }, signal) {
    const query = { fields: 'Note_Title', per_page: '1' }
    try {
      await api.items('Notes', query, { signal })
    } catch (error) {
      if (!(error instanceof CrmForbidden)) throw error
      // The portal can work without listing notes, at a cost.
      return 'arrive only when their record changes, because the API user is not an administrator'
    }
    return 'can be listed'
  },
}

const tasks: Trial = {
  name: 'Tasks',
  scope: 'ZohoCRM.modules.ALL',
  async run({ api, metadata, fieldMap }, signal) {
    await api.items('Tasks', { fields: 'Subject', per_page: '1' }, { signal })
    const shown = await metadata.displayedOf('Tasks', signal)
    const { statuses } = fieldMap.tasks
    const [sent, accepted] = [statuses.sent, statuses.accepted].map((one) => shown('Status', one))
    const body = { data: [{ id: NO_ID, Status: sent }] }
    readResults(await api.write({ method: 'PUT', path: 'Tasks', body, isRepeatable: true, signal }))
    const choices = usedChoices((await metadata.fieldsOf('Tasks', signal))?.get('Status'))
    const lacking = [sent, accepted].filter((one) => one !== undefined && !choices.includes(one)).join(' and ')
    if (choices.length > 0 && lacking !== '') {
      throw new Wrong(
        `Tasks.Status lacks ${lacking}, so the portal does not know which answers are accepted. Name the organisation's own statuses in CRM_FIELD_MAP (tasks.statuses: sent and accepted)`,
      )
    }
    const can = `can be read and set to ‘${sent}’, so partners see and answer what the lender asks; ‘${accepted}’ accepts an answer`
    const refused = await refusedOfTasks(api, signal)
    return refused === '' ? can : `${can}. Refused, and not needed: ${refused}`
  },
}

/** The ways to find tasks that the organisation refuses. The portal lists those that have changed, and asks for open ones. */
async function refusedOfTasks(api: Checked['api'], signal?: AbortSignal): Promise<string> {
  const query = (where: string) => api.coql(`select id from Tasks where ${where} limit 0, 1`, signal)
  const ways: [string, () => Promise<unknown>][] = [
    ['queries of tasks', () => query(`Modified_Time >= '${LONG_AGO}'`)],
    ['queries of a record’s tasks', () => query(`What_Id = '${NO_ID}'`)],
    ['the list of deleted tasks', () => api.items('Tasks/deleted', { type: 'all', per_page: '1' }, { signal })],
  ]
  const found = await Promise.all(ways.map(async ([name, ask]) => ((await unlessRefused(ask)) ? [] : [name])))
  return found.flat().join(', ')
}

const notifications: Trial = {
  name: 'Notifications',
  scope: 'ZohoCRM.notifications.ALL',
  async run({ api }, signal) {
    const items = await api.items('actions/watch', {}, { signal, key: 'watch' })
    return items.length === 0 ? 'allowed; no channel is open' : `allowed; open channels: ${items.length}`
  },
}

/** The calls that the API user's grant and profile must allow. */
export const CALL_TRIALS: readonly Trial[] = [writing, documents, queries, search, notes, tasks, notifications]

/** Something that the portal can do without. Undefined if the organisation or the grant does not give it. */
async function unlessRefused<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof CrmRefused || error instanceof CrmForbidden || isOfScope(error)) return undefined
    throw error
  }
}
