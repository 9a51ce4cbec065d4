import type { Db } from '../db/database.ts'
import { isId } from '../db/ids.ts'
import { findPartner, findPartnerByEmail, type Partner } from '../features/accounts/accounts.queries.ts'
import { CommandFailed } from './command.ts'

export async function getPartnerByName(db: Db, emailOrId: string): Promise<Partner> {
  const partner = isId(emailOrId)
    ? await findPartner(db, emailOrId)
    : await findPartnerByEmail(db, emailOrId.trim().toLowerCase())
  if (!partner) throw new CommandFailed(`There is no partner ${JSON.stringify(emailOrId)}`)
  return partner
}
