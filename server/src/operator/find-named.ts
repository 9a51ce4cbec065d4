import { findPersonByEmail, type Person } from '../features/accounts/people.queries.ts'
import type { Db } from '../platform/db/database.ts'
import { isId } from '../platform/db/ids.ts'
import { findPartner, type Partner } from '../records/partners/partners.queries.ts'
import { CommandFailed } from './command.ts'

/** Finds a partner by its id or by the email address of one of its people. */
export async function getPartnerByName(db: Db, emailOrId: string): Promise<Partner> {
  const id = isId(emailOrId) ? emailOrId : (await findPersonByEmail(db, emailOrId))?.partner_id
  const partner = id === undefined ? undefined : await findPartner(db, id)
  if (!partner) throw new CommandFailed(`There is no partner ${JSON.stringify(emailOrId)}`)
  return partner
}

export async function getPersonByEmail(db: Db, email: string): Promise<Person> {
  const person = await findPersonByEmail(db, email)
  if (!person) throw new CommandFailed(`There is no person ${JSON.stringify(email)}`)
  return person
}
