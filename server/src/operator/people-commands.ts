import { personName } from '@portal/contract/person-name.ts'
import type { Db } from '../db/database.ts'
import { findPersonByEmail, findTeam, type Person } from '../features/accounts/people.queries.ts'
import { resetSecondFactor } from '../features/accounts/second-factor/reset-second-factor.ts'
import { changeTeamPerson } from '../features/team/change-team-person.ts'
import { type Command, CommandFailed, onlyPositional, table, yesNo } from './command.ts'
import { getPartnerByName } from './find-partner.ts'

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
      person.last_seen_at?.slice(0, 16).replace('T', ' ') ?? 'never',
    ])
    workplace.say(table([['EMAIL', 'NAME', 'ROLE', 'ACTIVE', 'SECOND FACTOR', 'LAST SEEN (UTC)'], ...rows]))
    return 0
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
    const person = await getPerson(deps.db, email)
    const partner = { id: person.partner_id, businessName: person.business_name }
    await changeTeamPerson(deps, partner, person.id, { is_active: false }, (on, event, facts) =>
      workplace.security(on, event, { partner: partner.id, ...facts }),
    )
    workplace.say(`${person.email} of ${partner.businessName} is inactive now`)
    return 0
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
    const person = await getPerson(deps.db, onlyPositional(resetSecondFactorOf, given))
    const sessionsEnded = await resetSecondFactor(deps, person.id)
    await workplace.security(deps.db, 'second-factor-reset', {
      partner: person.partner_id,
      subject: { id: person.id, name: personName(person) },
    })
    workplace.say(`${person.email} signs in with the password alone now; sessions ended: ${sessionsEnded}`)
    return 0
  },
}

async function getPerson(db: Db, email: string): Promise<Person> {
  const person = await findPersonByEmail(db, email)
  if (!person) throw new CommandFailed(`There is no person ${JSON.stringify(email)}`)
  return person
}
