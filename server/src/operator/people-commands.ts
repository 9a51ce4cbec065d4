import { personName } from '@portal/contract/person-name.ts'
import { FORMER_COLLEAGUE } from '@portal/contract/submitted-by.ts'
import {
  findActiveOwners,
  findContact,
  findTeam,
  findTeamPerson,
  getPerson,
  lockPerson,
  type Person,
} from '../features/accounts/people.queries.ts'
import { erasePersonData, findPersonData } from '../features/accounts/person-data/person-data.queries.ts'
import { resetSecondFactor } from '../features/accounts/second-factor/reset-second-factor.ts'
import { changePersonIn, changeTeamPerson } from '../features/team/change-team-person.ts'
import { inTransaction } from '../platform/db/in-transaction.ts'
import type { NoteSecurity } from '../platform/http/security-events.ts'
import { lockPartner } from '../records/partners/partners.queries.ts'
import {
  type Command,
  CommandFailed,
  confirmErasure,
  minute,
  onlyPositional,
  table,
  UsageError,
  usageOf,
  writeNewFile,
  yesNo,
} from './command.ts'
import { getPartnerByName, getPersonByEmail } from './find-named.ts'

export const listPeople: Command = {
  name: 'people list',
  parameters: '<email or id of a partner>',
  summary:
    'Lists the people of a partner in the order in which they joined, with role, second factor and time last seen.',
  async run(given, workplace) {
    const { db } = await workplace.database()
    const partner = await getPartnerByName(db, onlyPositional(listPeople, given))
    const rows = (await findTeam(db, partner.id)).map((person) => [
      person.email,
      personName(person),
      person.role,
      yesNo(person.is_active),
      yesNo(person.has_second_factor),
      person.last_seen_at ? minute(person.last_seen_at) : 'never',
    ])
    workplace.say(table([['EMAIL', 'NAME', 'ROLE', 'ACTIVE', 'SECOND FACTOR', 'LAST SEEN (UTC)'], ...rows]))
  },
}

export const deactivatePerson: Command = {
  name: 'people deactivate',
  parameters: '<email>',
  summary: 'Ends a person’s sessions and access; the business and its other people keep their access.',
  async run(given, workplace) {
    const email = onlyPositional(deactivatePerson, given)
    // This process also runs jobs: if the person was the partner's contact, a job writes the new contact to the CRM.
    const { deps } = await workplace.workingParts()
    const person = await getPersonByEmail(deps.db, email)
    const partner = { id: person.partner_id, businessName: person.business_name }
    await changeTeamPerson(deps, partner, person.id, { is_active: false }, (on, event, facts) =>
      workplace.security(on, event, { partner: partner.id, ...facts }),
    )
    workplace.say(`${person.email} of ${partner.businessName} is inactive now`)
  },
}

export const resetSecondFactorOf: Command = {
  name: 'people reset-second-factor',
  parameters: '<email>',
  summary:
    'Removes a person’s authenticator app, passkeys and recovery codes, ends the person’s sessions and mails the person.',
  async run(given, workplace) {
    // This process also runs jobs, so that the mail is sent even if no portal runs.
    const { deps } = await workplace.workingParts()
    const person = await getPersonByEmail(deps.db, onlyPositional(resetSecondFactorOf, given))
    const sessionsEnded = await resetSecondFactor(deps, person.id)
    await workplace.security(deps.db, 'second-factor-reset', {
      partner: person.partner_id,
      subject: subjectOf(person),
    })
    workplace.say(`${person.email} signs in with the password alone now; sessions ended: ${sessionsEnded}`)
  },
}

export const exportPerson: Command = {
  name: 'people export',
  parameters: '<email> --to <file>',
  summary: 'Writes all data about one of the portal’s own people to a new JSON file.',
  options: { to: { type: 'string' } },
  async run(given, workplace) {
    const { to } = given.values
    if (typeof to !== 'string') throw new UsageError(`usage: ${usageOf(exportPerson)}`)
    const { db } = await workplace.database()
    const person = await getPersonByEmail(db, onlyPositional(exportPerson, given))
    const found = await findPersonData(db, person)
    await writeNewFile(to, { made_at: new Date().toISOString(), ...found })
    workplace.say(table(Object.entries(found).map(([what, rows]) => [what.replaceAll('_', ' '), String(rows.length)])))
    await workplace.security(db, 'person-exported', { partner: person.partner_id, subject: subjectOf(person) })
  },
}

export const erasePerson: Command = {
  name: 'people erase',
  parameters: '<email> [--yes]',
  summary:
    'Permanently erases all data about one of the portal’s own people; what they did stays as the work of “a former colleague”.',
  options: { yes: { type: 'boolean' } },
  async run(given, workplace) {
    // This process also runs jobs: if the person was the partner's contact, a job writes the new contact to the CRM.
    const { deps } = await workplace.workingParts()
    const { db } = deps
    const { id, email, ...person } = await getPersonByEmail(db, onlyPositional(erasePerson, given))
    const partner = { id: person.partner_id, businessName: person.business_name }
    workplace.say(`${email}, ${person.role} of ${partner.businessName}`)
    if (given.values['yes'] !== true) await confirmErasure()
    const { made, wasContact } = await inTransaction(db, async (tx) => {
      await lockPartner(tx, partner.id)
      await lockPerson(tx, id)
      const now = await getPerson(tx, id)
      const others = (await findActiveOwners(tx, partner.id)).filter((owner) => owner.id !== id)
      if (others.length === 0) throw new CommandFailed(lastOwner(email, partner.businessName))
      const security: NoteSecurity = (on, event, facts) =>
        workplace.security(on, event, { partner: partner.id, ...facts, subject: { id, name: FORMER_COLLEAGUE } })
      const [before, contact] = [await findTeamPerson(tx, partner.id, id), await findContact(tx, partner.id)]
      if (now.is_active) await changePersonIn(tx, deps, partner, id, { is_active: false }, security)
      await erasePersonData(tx, now)
      await security(tx, 'person-erased')
      return { made: before, wasContact: contact?.person_id === id }
    })
    workplace.say('\nErased. Sessions, factors, links and invitations have ended.')
    if (made?.made_api_key) workplace.say(`They made the API key ${made.made_api_key}, which still works.`)
    for (const name of made?.made_named_keys ?? []) workplace.say(`They made the API key “${name}”, which still works.`)
    if (made?.made_webhook_url)
      workplace.say(`They set the webhook URL ${made.made_webhook_url}, which still gets events.`)
    if (made?.made_webhook_secret) workplace.say('They made the webhook’s signing secret, which still signs events.')
    if (wasContact) workplace.say('They were the contact in the CRM; the next owner is being written there.')
    workplace.say('Records that they submitted may still name them in the CRM, for its staff to change.')
  },
}

function lastOwner(email: string, businessName: string): string {
  return `${email} is the last active owner of ${businessName}, so nothing was erased. Let an owner be made first: invite somebody as an owner on the Team page, or give a colleague the role there. Then run this command again.`
}

function subjectOf(person: Person) {
  return { id: person.id, name: personName(person) }
}
