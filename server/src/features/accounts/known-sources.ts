import type { Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Visitor } from '../../http/visitor.ts'
import { findKnownSources, keepKnownSources } from './known-sources.queries.ts'
import { hashToken, newToken } from './tokens.ts'

/**
 * How the account knows the visitor: by the mark in the browser's cookie, or by the IP address, which others may share.
 * Undefined if the visitor is unknown, or if no account has the email address.
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

/**
 * The key under which the visitor's tries are counted: the hash of the mark for a known browser, otherwise the IP
 * address.
 */
export function countedBy(known: Awaited<ReturnType<typeof knownBy>>, { address, mark }: Visitor): string {
  return known === 'mark' && mark !== undefined ? markHash(mark).toString('hex') : address
}

/** Stores the visitor's browser and IP address as known. Call this only after the visitor's identity is proved. */
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
