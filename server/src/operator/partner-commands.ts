import { findContact } from '../features/accounts/people.queries.ts'
import { setPartnerActive } from '../features/accounts/set-partner-active.ts'
import { type Command, type Given, noPositional, onlyPositional, table, yesNo } from './command.ts'
import { getPartnerByName } from './find-partner.ts'
import { findOverviewOfAllPartners } from './partners.queries.ts'
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
      partner.created_at.slice(0, 10),
    ])
    workplace.say(table([['ID', 'BUSINESS', 'EMAIL', 'ACTIVE', 'VERIFIED', 'LEADS', 'CREATED'], ...rows]))
    return 0
  },
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

async function setActive(command: Command, given: Given, workplace: Workplace, isActive: boolean): Promise<number> {
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
  return 0
}
