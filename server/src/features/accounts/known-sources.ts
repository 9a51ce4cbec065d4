import type { Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Visitor } from '../../http/visitor.ts'
import { findKnownSources, keepKnownSources } from './known-sources.queries.ts'
import { hashToken, newToken } from './tokens.ts'

/**
 * How the account knows the visitor: by the browser's mark, or by the IP address, which others may share. Undefined if
 * it does not know the visitor, or if there is no such account.
 */
export async function knownBy(
  db: Deps['db'],
  email: string,
  { address, mark }: Visitor,
): Promise<'mark' | 'address' | undefined> {
  const byAddress = addressHash(address)
  const byMark = mark === undefined ? undefined : markHash(mark)
  const known = await findKnownSources(db, email, byMark ? [byMark, byAddress] : [byAddress])
  if (byMark && known.some((hash) => hash.equals(byMark))) return 'mark'
  return known.length > 0 ? 'address' : undefined
}

/** A browser that the account knows is counted by the hash of its mark, any other by its address. */
export function countedBy(known: Awaited<ReturnType<typeof knownBy>>, { address, mark }: Visitor): string {
  return known === 'mark' && mark !== undefined ? markHash(mark).toString('hex') : address
}

/** Call it only once the visitor has proved to be the account's owner. */
export async function rememberVisitor(
  tx: Db | Tx,
  { clock }: Pick<Deps, 'clock'>,
  personId: string,
  visitor: Visitor,
): Promise<void> {
  const mark = visitor.mark ?? newToken()
  visitor.keepMark(mark)
  const sources = [addressHash(visitor.address), markHash(mark)]
  await keepKnownSources(tx, personId, sources, clock.now().toISOString())
}

function addressHash(address: string): Buffer {
  return hashToken(`address ${address}`)
}

function markHash(mark: string): Buffer {
  return hashToken(`mark ${mark}`)
}
