import { FIELD_GROUPS, type FieldGroup } from '@portal/contract/field-groups.ts'
import { acceptRemovals as removeAccepted } from '../crm/pull/accept-removals.ts'
import { noteFieldGroups } from '../crm/pull/fields/optional-values.ts'
import { asTrial } from '../crm/zoho/call-order.ts'
import { inWords } from '../crm/zoho/check/check.ts'
import { isOfCrm } from '../crm/zoho/errors.ts'
import type { CrmUsage } from '../crm/zoho/shared-limits.ts'
import type { Settings } from '../platform/config.ts'
import type { CrmCheck } from '../records/crm-records.ts'
import { countHiddenOfAllPartners } from '../records/kinds/hidden-records.queries.ts'
import { findInvitationProblems } from '../records/partners/partner-invitations.queries.ts'
import { findProblemsOfAllPartners } from '../records/partners/partners-in-crm.queries.ts'
import { type Command, CommandFailed, noPositional, table, UsageError, usageOf } from './command.ts'

export const checkCrm: Command = {
  name: 'crm check',
  parameters: '[--insert]',
  summary:
    'Tests everything that the portal needs from the CRM, and says what is wrong and what to do. With --insert also makes a trial lead and deletes it again.',
  options: { insert: { type: 'boolean' } },
  async run(given, workplace) {
    noPositional(checkCrm, given)
    const { crm, db, config } = (await workplace.parts()).deps
    const connection = crm.mode === 'sandbox' ? 'the sandbox' : 'Zoho CRM'
    const api = await crm.apiDomain().catch(withAdvice('ZohoCRM.modules.ALL'))
    const tried = await crm.check()
    const inserted = given.values['insert'] === true && !isWrong(tried) ? [await crm.tryInsert()] : []
    const signUp = config.signUp === 'open' || isWrong(tried) ? [] : [signUpCheck(config, await crm.fieldGroups())]
    const checks = [...tried, ...inserted, ...signUp, creditsCheck(await crm.usage())]
    workplace.say(table([['Connection', connection], ['API', api], ...checks.map(({ name, says }) => [name, says])]))
    for (const [partnerId, credits] of crm.partnersOverShare()) {
      workplace.say(
        `\nThe partner ${partnerId} has used ${credits} credits in 24 hours, more than a fifth of the day's.`,
      )
    }
    const wrong = checks.filter((check) => check.isWrong).map((check) => check.name)
    if (wrong.length > 0) workplace.say(`\nWrong: ${wrong.join(', ')}`)
    for (const { business_name, crm_problem } of await findProblemsOfAllPartners(db)) {
      workplace.say(`\nThe record of ${business_name}: ${crm_problem}`)
    }
    for (const { zoho_id, problem } of await findInvitationProblems(db)) {
      workplace.say(`\nThe record ${zoho_id}: ${problem}`)
    }
    for (const { business_name, records, since } of await countHiddenOfAllPartners(db)) {
      workplace.say(
        `\nSince ${since.slice(0, 16)} UTC the CRM does not show ${records} records of ${business_name} and does not name them as deleted. Give the API user its rights back, or run \`npm run portal -- crm accept-removals\`.`,
      )
    }
    return wrong.length === 0 ? 0 : 1
  },
}

function isWrong(checks: readonly CrmCheck[]): boolean {
  return checks.some((check) => check.isWrong)
}

/** Without the field nobody could let the partners in (D116). */
function signUpCheck({ signUp }: Settings, groups: ReadonlyMap<FieldGroup, unknown>): CrmCheck {
  const isThere = groups.has('access')
  const says = isThere
    ? `${signUp} (SIGNUP); the lender's team lets partners in by Portal_Access`
    : `SIGNUP=${signUp}, but the CRM has no field for the lender's word. Run \`npm run portal -- crm setup access\``
  return { name: 'Sign-up', says, isWrong: !isThere }
}

/** Says what to do if the CRM does not let the portal make a call that needs this scope. */
function withAdvice(scope: string): (error: unknown) => never {
  return (error) => {
    const isKnown = isOfCrm(error)
    throw isKnown ? new CommandFailed(inWords(error, scope).replace(/(?<!\?)$/, '.')) : error
  }
}

function creditsCheck({ calls, credits, creditsPerDay, creditsLeft }: CrmUsage): CrmCheck {
  const left = creditsLeft ?? creditsPerDay - credits
  const isWrong = left < creditsPerDay / 10
  const known = creditsLeft === null ? `about ${credits} used` : `${creditsLeft} left`
  const says = `${known} of ${creditsPerDay} (ZOHO_CREDITS_PER_DAY), ${calls} calls in the last 24 hours`
  return {
    name: 'Credits',
    says: isWrong ? `${says}: new leads, deals and notes still go to the CRM, but CRM changes arrive later` : says,
    isWrong,
  }
}

/** Ten thousand hidden records take a hundred calls to the CRM. */
const ACCEPT_MS_MAX = 600_000

export const acceptRemovals: Command = {
  name: 'crm accept-removals',
  parameters: '',
  summary: 'Removes the leads and deals that the CRM does not show any more and that the portal has kept (D123).',
  async run(given, workplace) {
    noPositional(acceptRemovals, given)
    const { deps } = await workplace.parts()
    for (const { business_name, records } of await countHiddenOfAllPartners(deps.db)) {
      workplace.say(`${business_name}: ${records}`)
    }
    const signal = AbortSignal.timeout(ACCEPT_MS_MAX)
    const deals = await removeAccepted(deps, 'Deals', signal)
    const removed = deals + (await removeAccepted(deps, 'Leads', signal))
    workplace.say(`${removed} removed`)
  },
}

export const setUpCrm: Command = {
  name: 'crm setup',
  parameters: '[group...]',
  summary: `Creates the custom fields that the organisation lacks, and the optional ones of the named groups: ${FIELD_GROUPS.join(', ')}.`,
  async run(given, workplace) {
    const groups = FIELD_GROUPS.filter((group) => given.positionals.includes(group))
    if (groups.length < given.positionals.length) throw new UsageError(`usage: ${usageOf(setUpCrm)}`)
    const { deps } = await workplace.parts()
    const { made, problems } = await asTrial(async () => {
      const lacking = await deps.crm.missingModules()
      if (lacking !== undefined) throw new CommandFailed(`${lacking}.`)
      return deps.crm.makeMissingFields(groups)
    }).catch(withAdvice('ZohoCRM.settings.ALL'))
    await noteFieldGroups(deps)
    for (const field of made) workplace.say(`${field}: made`)
    for (const { field, reason } of problems) workplace.say(`${field}: missing, because ${reason}`)
    if (made.length === 0 && problems.length === 0) workplace.say('All fields are there.')
    if (made.some((field) => field.startsWith('Leads.'))) {
      workplace.say(
        '\nIn Zoho’s lead conversion mapping, map each new field of Leads to the field with the same meaning in Deals.',
      )
    }
    return problems.length === 0 ? 0 : 1
  },
}
