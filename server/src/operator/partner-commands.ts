import type { Hold } from '@portal/contract/holds.ts'
import { CONNECT_QUEUE } from '../crm/queues.ts'
import { findContact } from '../features/accounts/people.queries.ts'
import { setPartnerActive } from '../features/accounts/set-partner-active.ts'
import { holdOf } from '../records/partners/hold-of.ts'
import { findPartnersByZohoId, linkPartner, lockPartner } from '../records/partners/partners.queries.ts'
import {
  type Command,
  CommandFailed,
  type Given,
  noPositional,
  onlyPositional,
  table,
  UsageError,
  usageOf,
  yesNo,
} from './command.ts'
import { getPartnerByName } from './find-named.ts'
import { findEmailsOfOneMailbox, findNamesThatLookAlike, findOverviewOfAllPartners } from './partners.queries.ts'
import type { Workplace } from './workplace.ts'

export const listPartners: Command = {
  name: 'partners',
  parameters: '[--search <text>]',
  summary: 'Lists the partners, newest last; with --search, only those whose name or email contains the text.',
  options: { search: { type: 'string' } },
  async run(given, workplace) {
    noPositional(listPartners, given)
    const { search } = given.values
    const { db } = await workplace.database()
    const partners = await findOverviewOfAllPartners(db, typeof search === 'string' ? search.trim() : undefined)
    const rows = partners.map((partner) => [
      partner.id,
      partner.business_name,
      partner.email,
      yesNo(partner.is_active),
      yesNo(partner.email_verified),
      String(partner.leads),
      crmWords(partner),
      partner.created_at.slice(0, 10),
    ])
    workplace.say(table([['ID', 'BUSINESS', 'EMAIL', 'ACTIVE', 'VERIFIED', 'LEADS', 'CRM', 'CREATED'], ...rows]))
    for (const emails of await findEmailsOfOneMailbox(db)) {
      workplace.say(
        `One email address in several spellings, each with its own account: ${emails.map(visibly).join(', ')}`,
      )
    }
    for (const names of await findNamesThatLookAlike(db)) {
      workplace.say(`Business names that look alike, each with its own account: ${names.map(visibly).join(', ')}`)
    }
  },
}

/** The partner's record in the CRM, or why it has none (D121, D122). */
function crmWords(partner: Awaited<ReturnType<typeof findOverviewOfAllPartners>>[number]): string {
  const { link_candidates, zoho_id } = partner
  const hold = holdOf(partner)
  if (hold === null) return `${zoho_id ?? 'no record yet'}${partner.pushes_unverified ? ' (not held: older)' : ''}`
  return `${HELD_WORDS[hold]} ${link_candidates.join(' ')}`.trim()
}

const HELD_WORDS: Record<Hold, string> = {
  unverified: 'waits for its address',
  existing: 'waits for its address:',
  people: 'waits for its contact:',
  several: 'waits for you, several records:',
  deleted: 'waits for you, record removed:',
  pending: 'waits for the lender (Portal_Access)',
}

export const linkToRecord: Command = {
  name: 'partner link',
  parameters: '<email or id> <CRM id>',
  summary: 'Links a partner to a record of the CRM. All its people then see the record’s leads and deals.',
  async run(given, workplace) {
    const [name, zohoId, ...rest] = given.positionals
    if (!name || !zohoId || rest.length > 0 || !/^\d{1,30}$/.test(zohoId)) throw new UsageError(usageOf(linkToRecord))
    const { db, jobs } = (await workplace.workingParts()).deps
    const partner = await getPartnerByName(db, name)
    const [other] = (await findPartnersByZohoId(db, [zohoId])).filter((one) => one.id !== partner.id)
    if (other) throw new CommandFailed(`The record ${zohoId} is linked to the partner ${other.id}`)
    await db.transaction().execute(async (tx) => {
      await lockPartner(tx, partner.id)
      await linkPartner(tx, partner.id, zohoId)
      await jobs.enqueue(tx, CONNECT_QUEUE, { partnerId: partner.id })
      await workplace.security(tx, 'record-linked', { partner: partner.id })
    })
    workplace.say(`${partner.business_name} is linked to the record ${zohoId}; what waited is being sent`)
  },
}

/** Escapes what a terminal does not show. */
function visibly(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
}

export const activatePartner: Command = {
  name: 'partner activate',
  parameters: '<email or id>',
  summary: 'Lets a partner sign in again.',
  run: (given, workplace) => setActive(activatePartner, given, workplace, true),
}

export const deactivatePartner: Command = {
  name: 'partner deactivate',
  parameters: '<email or id>',
  summary: 'Ends a partner’s sessions and blocks its sign-in and its API key.',
  run: (given, workplace) => setActive(deactivatePartner, given, workplace, false),
}

async function setActive(command: Command, given: Given, workplace: Workplace, isActive: boolean): Promise<void> {
  const name = onlyPositional(command, given)
  const { db } = await workplace.database()
  const partner = await getPartnerByName(db, name)
  const { isChanged, sessionsEnded } = await setPartnerActive(db, partner.id, isActive)
  const contact = await findContact(db, partner.id)
  const who = `${partner.business_name} (${contact?.email})`
  const state = isActive ? 'active' : 'inactive'
  if (isChanged)
    await workplace.security(db, isActive ? 'partner-activated' : 'partner-deactivated', { partner: partner.id })
  if (!isChanged) workplace.say(`${who} was ${state} already`)
  else workplace.say(`${who} is ${state} now${isActive ? '' : `; sessions ended: ${sessionsEnded}`}`)
}
