import { randomBytes } from 'node:crypto'
import { loidFromBytes } from '@portal/contract/loid.ts'
import type { Db, Tx } from '../../db/database.ts'
import { isLoidTakenByAnyPartner } from './leads.queries.ts'

/** A LOID that no lead or deal has. There are a million million of them, so that a second look is rare. */
export async function newLoid(tx: Db | Tx): Promise<string> {
  const loid = loidFromBytes(randomBytes(8))
  return (await isLoidTakenByAnyPartner(tx, loid)) ? newLoid(tx) : loid
}
