import { personName } from '@portal/contract/person-name.ts'
import { findPersonByEmail } from '../features/accounts/people.queries.ts'
import { resetSecondFactor } from '../features/accounts/second-factor/reset-second-factor.ts'
import { type Command, CommandFailed, onlyPositional } from './command.ts'

export const resetSecondFactorOf: Command = {
  name: 'people reset-second-factor',
  parameters: '<email>',
  summary:
    'Removes a person’s authenticator app, passkeys and recovery codes and ends their sessions; a mail tells them.',
  async run(given, workplace) {
    const email = onlyPositional(resetSecondFactorOf, given).trim().toLowerCase()
    // With the jobs running, so that the mail leaves also where no portal runs.
    const { deps } = await workplace.workingParts()
    const person = await findPersonByEmail(deps.db, email)
    if (!person) throw new CommandFailed(`There is no person ${JSON.stringify(email)}`)
    const sessionsEnded = await resetSecondFactor(deps, person.id)
    await workplace.security(deps.db, 'second-factor-reset', {
      partner: person.partner_id,
      subject: { id: person.id, name: personName(person) },
    })
    workplace.say(`${email} signs in with the password alone now; sessions ended: ${sessionsEnded}`)
    return 0
  },
}
