import { type Command, noPositional, table } from './command.ts'

export const checkCrm: Command = {
  name: 'crm check',
  parameters: '',
  summary: 'Tries the connection to the CRM, and names the fields that the organisation lacks.',
  async run(given, workplace) {
    noPositional(checkCrm, given)
    const { crm } = (await workplace.parts()).deps
    const apiDomain = await crm.apiDomain()
    const { name, id, timezone, currency } = await crm.organisation()
    const missing = await crm.missingFields()
    workplace.say(
      table([
        ['Connection', crm.mode === 'sandbox' ? 'the sandbox' : 'Zoho CRM'],
        ['API', apiDomain],
        ['Organisation', `${name ?? 'without a name'} (${[id, timezone, currency].filter(Boolean).join(', ')})`],
        ['Fields', missing.length === 0 ? 'all there' : `${missing.length} missing: ${missing.join(', ')}`],
        ['Calls', `${await crm.callsOfLastDay()} in the last 24 hours`],
      ]),
    )
    if (missing.length === 0) return 0
    workplace.say('\n`npm run portal -- crm setup` makes them, or name your own in CRM_FIELD_MAP.')
    return 1
  },
}

export const setUpCrm: Command = {
  name: 'crm setup',
  parameters: '',
  summary: 'Makes the custom fields that the organisation lacks.',
  async run(given, workplace) {
    noPositional(setUpCrm, given)
    const { crm } = (await workplace.parts()).deps
    const { made, problems } = await crm.makeMissingFields()
    for (const field of made) workplace.say(`${field}: made`)
    for (const { field, reason } of problems) workplace.say(`${field}: missing, because ${reason}`)
    if (made.length === 0 && problems.length === 0) workplace.say('All fields are there.')
    if (made.some((field) => field.startsWith('Leads.'))) {
      workplace.say(
        '\nIn Zoho’s lead conversion mapping, map each new field of Leads to that of the same meaning in Deals.',
      )
    }
    return problems.length === 0 ? 0 : 1
  },
}
