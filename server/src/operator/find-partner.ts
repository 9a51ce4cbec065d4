import type { Db } from '../db/database.ts'
import { isId } from '../db/ids.ts'
import { findPartner, type Partner } from '../features/accounts/accounts.queries.ts'
import { findPersonByEmail } from '../features/accounts/people.queries.ts'
import { CommandFailed } from './command.ts'

/** Finds a partner by its id or by the email address of one of its people. */
export async function getPartnerByName(db: Db, emailOrId: string): Promise<Partner> {
  const id = isId(emailOrId) ? emailOrId : (await findPersonByEmail(db, emailOrId))?.partner_id
  const partner = id === undefined ? undefined : await findPartner(db, id)
  if (!partner) throw new CommandFailed(`There is no partner ${JSON.stringify(emailOrId)}`)
  return partner
}
