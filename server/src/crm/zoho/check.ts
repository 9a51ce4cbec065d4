import {
  DEFAULT_LEAD_SOURCE,
  INDUSTRIES,
  ISO_COUNTRIES,
  LOAN_TERMS,
  LOAN_TYPES,
  PORTAL_ACCESS,
  SUBMITTED_STATUS,
  TIMES_IN_BUSINESS,
} from '@portal/contract/choices.ts'
import { FIELD_GROUPS } from '@portal/contract/field-groups.ts'
import * as z from 'zod/mini'
import { CrmUnavailable } from '../../platform/errors.ts'
import type { CrmCheck } from '../../records/crm-records.ts'
import { isMissing as isRecordMissing, readItems, readResults } from './answers.ts'
import { CrmAddressRefused, CrmForbidden, CrmRefused, CrmSignInRefused } from './errors.ts'
import { usedChoices } from './metadata.ts'
import type { Organisation } from './organisation.ts'
import type { ZohoParts } from './parts.ts'

export interface Checks {
  /**
   * Tests everything that the portal needs from the CRM, and changes nothing there. Stops at a failure that explains all
   * later ones, such as a refused sign-in or a missing module.
   */
  check(signal?: AbortSignal): Promise<CrmCheck[]>
}

interface Trial {
  name: string
  /** The scope that the grant must have for the trial. */
  scope: string
  /** Returns a text that says what works, or throws `Wrong`. */
  run(signal?: AbortSignal): Promise<string>
}

/** The error of a failed trial. Its message says what is wrong and what to do. */
class Wrong extends Error {}
/** An error that explains every later one. */
class WrongForAll extends Wrong {}

/** Zoho's own fields, which the field map cannot change. */
const OWNER = 'Owner'
const PIPELINE_FIELD = 'Pipeline'
const ALWAYS_SENT = ['loid', 'partner', 'lead_source', 'partner_iso'] as const
/** The fields of a lead that its deal shows, and the deal's own. */
const CONVERTED = [
  ['loid', 'loid'],
  ['partner', 'partner'],
  ['business_name', 'business_name'],
  ['email', 'email'],
  ['phone', 'phone'],
  ['loan_amount', 'amount'],
  ['loan_type', 'loan_type'],
  ['loan_purpose', 'loan_purpose'],
  ['loan_term', 'loan_term'],
  ['partner_iso', 'partner_iso'],
] as const
/** What a trial says about a field that is missing. */
const NOT_KNOWN = 'not known while the field is missing'
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

export function openChecks({ api, metadata, fieldMap }: ZohoParts, organisation: Organisation): Checks {
  const { partners, leads, deals, tasks } = fieldMap

  /** The values that the portal sends, for each picklist. */
  const sent: [string, string, readonly string[]][] = [
    [leads.module, leads.fields.lead_status, [SUBMITTED_STATUS]],
    [leads.module, leads.fields.lead_source, [DEFAULT_LEAD_SOURCE]],
    [leads.module, leads.fields.loan_type, LOAN_TYPES],
    [leads.module, leads.fields.loan_term, LOAN_TERMS],
    [leads.module, leads.fields.business_industry, INDUSTRIES],
    [leads.module, leads.fields.time_in_business, TIMES_IN_BUSINESS],
    [leads.module, leads.fields.partner_iso, ISO_COUNTRIES],
    [deals.module, deals.fields.lead_source, [DEFAULT_LEAD_SOURCE]],
    [partners.module, partners.fields.portal_access, PORTAL_ACCESS],
    [deals.module, deals.fields.loan_type, LOAN_TYPES],
    [deals.module, deals.fields.loan_term, LOAN_TERMS],
    [deals.module, deals.fields.partner_iso, ISO_COUNTRIES],
  ]

  /** The fields that each record has when the portal makes it. Zoho sets the owner. */
  const pushed = [
    { module: partners.module, always: [partners.fields.business_name, partners.fields.email, OWNER] },
    {
      module: leads.module,
      always: [
        ...ALWAYS_SENT.map((name) => leads.fields[name]),
        ...(['business_name', 'last_name', 'lead_status'] as const).map((name) => leads.fields[name]),
        OWNER,
      ],
    },
    {
      module: deals.module,
      always: [
        ...ALWAYS_SENT.map((name) => deals.fields[name]),
        ...(['deal_name', 'stage', 'closing_date'] as const).map((name) => deals.fields[name]),
        PIPELINE_FIELD,
        OWNER,
      ],
    },
  ]

  const trials: Trial[] = [
    {
      name: 'Organisation',
      scope: 'ZohoCRM.org.READ',
      async run(signal) {
        const { name, id, timezone, currency } = await organisation.organisation(signal)
        return `${name ?? 'without a name'} (${[id, timezone, currency].filter(Boolean).join(', ')})`
      },
    },
    {
      name: 'Modules',
      scope: 'ZohoCRM.settings.ALL',
      async run(signal) {
        const found = await Promise.all(
          [partners, leads, deals].map(async ({ module }) =>
            (await metadata.fieldsOf(module, signal)) ? [] : [module],
          ),
        )
        const missing = found.flat().join(' and ')
        if (missing === '') return 'all there'
        throw new WrongForAll(
          `${missing} is missing. Make a module with this API name in the CRM's settings (Modules and Fields), or name yours in CRM_FIELD_MAP`,
        )
      },
    },
    {
      name: 'Fields',
      scope: 'ZohoCRM.settings.ALL',
      async run(signal) {
        const missing = await organisation.missingFields(signal)
        if (missing.length === 0) return 'all there'
        throw new Wrong(
          `${missing.length} missing: ${missing.join(', ')}. Run \`npm run portal -- crm setup\` to create them, or name your own fields in CRM_FIELD_MAP`,
        )
      },
    },
    {
      name: 'Optional fields',
      scope: 'ZohoCRM.settings.ALL',
      async run(signal) {
        const on = await organisation.fieldGroups(signal)
        const words = FIELD_GROUPS.map((group) => {
          const fields = on.get(group)
          if (!fields) return `${group} off (\`npm run portal -- crm setup ${group}\` makes its fields)`
          return `${group} on${fields.missing.length > 0 ? ` without ${fields.missing.join(', ')}` : ''}`
        })
        return words.join('; ')
      },
    },
    {
      name: 'LOID',
      scope: 'ZohoCRM.settings.ALL',
      async run(signal) {
        if (await isMissing('loid', signal)) return NOT_KNOWN
        const open = await Promise.all(
          [leads, deals].map(async ({ module, fields }) => {
            const field = (await metadata.fieldsOf(module, signal))?.get(fields.loid)
            return field && !field.isUnique ? [`${module}.${fields.loid}`] : []
          }),
        )
        const names = open.flat().join(' and ')
        if (names === '') return 'unique'
        throw new Wrong(
          `Duplicates are allowed in ${names}. Tick 'Do not allow duplicate values' in the settings of each field`,
        )
      },
    },
    {
      name: 'Partner',
      scope: 'ZohoCRM.settings.ALL',
      async run(signal) {
        if (await isMissing('partner', signal)) return NOT_KNOWN
        const wrong = await Promise.all(
          [leads, deals].map(async ({ module, fields }) => {
            const field = (await metadata.fieldsOf(module, signal))?.get(fields.partner)
            return field && field.namesModule !== partners.module ? [`${module}.${fields.partner}`] : []
          }),
        )
        const names = wrong.flat().join(' and ')
        if (names === '') return `names a record of ${partners.module}`
        throw new Wrong(`Not a lookup to ${partners.module}: ${names}. Make a lookup to ${partners.module} instead`)
      },
    },
    {
      name: 'Conversion',
      scope: 'ZohoCRM.settings.ALL',
      async run(signal) {
        if ((await isMissing('loid', signal)) || (await isMissing('partner', signal))) return NOT_KNOWN
        const settings = await metadata.fieldsOf(leads.module, signal)
        const lost = CONVERTED.filter(([lead, deal]) => {
          const field = settings?.get(leads.fields[lead])
          return field && field.dealField !== deals.fields[deal]
        })
        if (lost.length === 0) return 'copies every field that the deal shows'
        const names = lost.map(([lead, deal]) => `${leads.fields[lead]} to ${deals.fields[deal]}`).join(', ')
        throw new Wrong(
          `Not copied when a lead becomes a deal: ${names}. Map them in Zoho's settings: Modules and Fields, Leads, Lead Conversion Mapping`,
        )
      },
    },
    {
      name: 'Mandatory fields',
      scope: 'ZohoCRM.settings.ALL',
      async run(signal) {
        const demanded = await Promise.all(
          pushed.map(async ({ module, always }) =>
            (await metadata.mandatoryOf(module, signal))
              .filter((field) => !always.includes(field))
              .map((field) => `${module}.${field}`),
          ),
        )
        const names = demanded.flat().join(', ')
        if (names === '') return 'the portal always sends them'
        throw new Wrong(
          `A layout demands what the portal does not always send: ${names}. Make the field optional in the layout, or leads and deals without it wait`,
        )
      },
    },
    {
      name: 'Picklists',
      scope: 'ZohoCRM.settings.ALL',
      async run(signal) {
        const lacking = await Promise.all(
          sent.map(async ([module, field, values]) => {
            const settings = (await metadata.fieldsOf(module, signal))?.get(field)
            const choices = usedChoices(settings)
            // A field that is not a picklist accepts any text.
            const missing = choices.length === 0 ? [] : values.filter((value) => !choices.includes(value))
            return missing.length === 0 ? [] : [`${module}.${field} lacks ${missing.join(', ')}`]
          }),
        )
        const names = lacking.flat().join('; ')
        if (names === '') return 'contain every value that the portal sends'
        throw new Wrong(`${names}. Add the values in the settings of the field`)
      },
    },
    {
      name: 'Writing',
      scope: 'ZohoCRM.modules.ALL',
      async run(signal) {
        for (const { module } of [partners, leads, deals]) {
          const body = { data: [{ id: NO_ID }] }
          readResults(await api.write({ method: 'PUT', path: module, body, isRepeatable: true, signal }))
        }
        return 'allowed'
      },
    },
    {
      name: 'Documents',
      scope: 'ZohoCRM.modules.ALL',
      async run(signal) {
        for (const { module } of [leads, deals]) {
          const answer = await api.get(`${module}/${NO_ID}/Attachments`, { fields: 'id' }, { signal })
          // No record has this id, and an organisation that gives its attachments says so.
          if (!isRecordMissing(answer)) readItems(answer)
          const sent = await api.upload(`${module}/${NO_ID}/Attachments`, NO_FILE, signal)
          if (!isRecordMissing(sent)) readResults(sent)
        }
        const about = await unlessRefused(async () => readItems(await api.get('org', {}, { signal }), 'org').items[0])
        if (License.safeParse(about).data?.license_details.paid_type === 'free') {
          throw new Wrong(
            'The Free edition of Zoho has no room for files, so partners’ files wait. Choose another edition',
          )
        }
        const listed = await unlessRefused(async () =>
          readItems(await api.get('Attachments', { fields: 'id', per_page: '1' }, { signal })),
        )
        const found = listed
          ? 'and listed for all records at once, so new ones are found within five minutes'
          : 'but not listed for all records at once, so new ones are found when a record is opened or has changed'
        return `are taken and given, ${found}. Whether there is room for more is known when one is sent`
      },
    },
    {
      name: 'Queries',
      scope: 'ZohoCRM.coql.READ',
      async run(signal) {
        for (const { module, fields } of [leads, deals]) {
          await api.coql(`select id from ${module} where ${fields.loid} = '${NO_LOID}' limit 0, 1`, signal)
        }
        return 'work'
      },
    },
    {
      name: 'Search',
      scope: 'ZohoSearch.securesearch.READ',
      async run(signal) {
        const { loid } = leads.fields
        const query = { criteria: `(${loid}:equals:${NO_LOID})`, converted: 'true', fields: loid }
        readItems(await api.get(`${leads.module}/search`, query, { signal }))
        return 'works'
      },
    },
    {
      name: 'Notes',
      scope: 'ZohoCRM.modules.ALL',
      async run(signal) {
        const query = { fields: 'Note_Title', per_page: '1' }
        try {
          readItems(await api.get('Notes', query, { signal }))
        } catch (error) {
          if (!(error instanceof CrmForbidden)) throw error
          // The portal can work without listing notes, at a cost.
          return 'arrive only when their record changes, because the API user is not an administrator'
        }
        return 'can be listed'
      },
    },
    {
      name: 'Tasks',
      scope: 'ZohoCRM.modules.ALL',
      async run(signal) {
        readItems(await api.get('Tasks', { fields: 'Subject', per_page: '1' }, { signal }))
        const shown = await metadata.displayedOf('Tasks', signal)
        const [sent, accepted] = [tasks.statuses.sent, tasks.statuses.accepted].map((one) => shown('Status', one))
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
        const refused = await refusedOfTasks(signal)
        return refused === '' ? can : `${can}. Refused, and not needed: ${refused}`
      },
    },
    {
      name: 'Notifications',
      scope: 'ZohoCRM.notifications.ALL',
      async run(signal) {
        const { items } = readItems(await api.get('actions/watch', {}, { signal }), 'watch')
        return items.length === 0 ? 'allowed; no channel is open' : `allowed; open channels: ${items.length}`
      },
    },
  ]

  /** The ways to find tasks that the organisation refuses. The portal lists those that have changed, and asks for open ones. */
  async function refusedOfTasks(signal?: AbortSignal): Promise<string> {
    const query = (where: string) => api.coql(`select id from Tasks where ${where} limit 0, 1`, signal)
    const ways: [string, () => Promise<unknown>][] = [
      ['queries of tasks', () => query(`Modified_Time >= '${LONG_AGO}'`)],
      ['queries of a record’s tasks', () => query(`What_Id = '${NO_ID}'`)],
      [
        'the list of deleted tasks',
        async () => readItems(await api.get('Tasks/deleted', { type: 'all', per_page: '1' }, { signal })),
      ],
    ]
    const found = await Promise.all(ways.map(async ([name, ask]) => ((await unlessRefused(ask)) ? [] : [name])))
    return found.flat().join(', ')
  }

  /** Whether leads or deals lack this field. The trial of the fields says so. */
  async function isMissing(name: 'loid' | 'partner', signal?: AbortSignal): Promise<boolean> {
    const found = await Promise.all(
      [leads, deals].map(async ({ module, fields }) => (await metadata.fieldsOf(module, signal))?.has(fields[name])),
    )
    return found.some((isThere) => !isThere)
  }

  /** Something that the portal can do without. Undefined if the organisation or the grant does not give it. */
  async function unlessRefused<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof CrmRefused || error instanceof CrmForbidden || isOfScope(error)) return undefined
      throw error
    }
  }

  async function attempt({ name, scope, run }: Trial, signal?: AbortSignal): Promise<CrmCheck & { isForAll: boolean }> {
    try {
      return { name, says: await run(signal), isWrong: false, isForAll: false }
    } catch (error) {
      if (error instanceof Wrong) {
        return { name, says: error.message, isWrong: true, isForAll: error instanceof WrongForAll }
      }
      if (!(error instanceof CrmUnavailable || error instanceof CrmRefused)) throw error
      const says = `${error.message.replace(/\.?$/, '.')} ${adviceFor(error, scope)}`
      return { name, says, isWrong: true, isForAll: explainsAll(error) }
    }
  }

  return {
    async check(signal) {
      const checks: CrmCheck[] = []
      for (const trial of trials) {
        const { isForAll, ...check } = await attempt(trial, signal)
        checks.push(check)
        if (isForAll) break
      }
      return checks
    },
  }
}

function explainsAll(error: Error): boolean {
  return error instanceof CrmSignInRefused || error instanceof CrmAddressRefused || isVersionRetired(error)
}

function adviceFor(error: Error, scope: string): string {
  if (error instanceof CrmSignInRefused) return error.advice
  if (error instanceof CrmAddressRefused) {
    return "The organisation may allow only some addresses. Add this machine's in Zoho's settings: Security Control, Allowed IPs"
  }
  if (isVersionRetired(error)) {
    return 'Zoho has retired the version of its API that this portal speaks (v8). Install a newer version of the portal'
  }
  if (isOfScope(error)) return `The grant lacks the scope ${scope}. Make a new grant that includes it`
  if (error instanceof CrmForbidden)
    return "The API user's profile lacks a permission for this. Add it in the CRM's settings"
  return 'Try again. If it still fails, look at the log'
}

function isOfScope(error: unknown): boolean {
  return error instanceof Error && error.message.includes('OAUTH_SCOPE_MISMATCH')
}

function isVersionRetired(error: Error): boolean {
  return /HTTP 410\b|API_VERSION_RETIRED/.test(error.message)
}
