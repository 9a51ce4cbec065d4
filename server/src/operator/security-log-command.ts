import { OTHER_ACTORS, SECURITY_EVENT_WORDS } from '@portal/contract/security-log.ts'
import { findNewestSecurityEntriesOfAllPartners } from '../features/security-log/security-log.queries.ts'
import { type Command, CommandFailed, noPositional, table } from './command.ts'
import { getPartnerByName, getPersonByEmail } from './find-named.ts'

const ENTRIES_MAX = 500

export const listSecurityLog: Command = {
  name: 'security-log',
  parameters: '[--partner <email or id>] [--person <email>]',
  summary: `Lists the newest ${ENTRIES_MAX} entries of the security log, for all partners, one partner or one person.`,
  options: { partner: { type: 'string' }, person: { type: 'string' } },
  async run(given, workplace) {
    noPositional(listSecurityLog, given)
    const { partner, person } = given.values
    const { db } = await workplace.database()
    const ofPartner = typeof partner === 'string' ? await getPartnerByName(db, partner) : undefined
    const ofPerson = typeof person === 'string' ? await getPersonByEmail(db, person) : undefined
    if (ofPartner && ofPerson && ofPerson.partner_id !== ofPartner.id)
      throw new CommandFailed(`${ofPartner.business_name} has no person ${JSON.stringify(person)}`)
    const wanted =
      (ofPerson && { partnerId: ofPerson.partner_id, personId: ofPerson.id }) ??
      (ofPartner && { partnerId: ofPartner.id }) ??
      {}
    const entries = await findNewestSecurityEntriesOfAllPartners(db, wanted, ENTRIES_MAX)
    const words = new Map(Object.entries(SECURITY_EVENT_WORDS))
    const others = new Map(Object.entries(OTHER_ACTORS))
    const rows = entries.map((entry) => [
      entry.at,
      entry.business_name,
      entry.email ?? entry.person_id ?? others.get(entry.event) ?? 'operator',
      [
        words.get(entry.event)?.text ?? `${entry.event} (an event of a newer version)`,
        entry.subject_name,
        entry.detail,
        entry.reason,
      ]
        .filter(Boolean)
        .join(', '),
      entry.ip ?? '',
      entry.browser ?? '',
    ])
    workplace.say(table([['TIME', 'BUSINESS', 'WHO', 'WHAT', 'IP ADDRESS', 'BROWSER'], ...rows]))
  },
}
