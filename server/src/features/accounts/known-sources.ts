import type { Deps } from '../../deps.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Visitor } from '../../platform/http/visitor.ts'
import { findKnownSources, findSourcesOfPerson, forgetKnownSources, keepKnownSources } from './known-sources.queries.ts'
import { hashToken, newToken } from './tokens.ts'

/** How an account knows a visitor. */
type Known = { by: 'mark'; mark: string } | { by: 'address' }

/**
 * How the account knows the visitor: by a mark in the browser's cookie, or by the IP address, which others may share.
 * Undefined if the visitor is unknown, or if no account has the email address.
 */
export async function knownBy(
  db: Deps['db'],
  email: string,
  { address, marks, earlierMarks }: Visitor,
): Promise<Known | undefined> {
  const all = [...marks, ...earlierMarks]
  const known = await findKnownSources(db, email, [...all.map(markHash), addressHash(address)])
  const mark = all.find((one) => known.some((hash) => hash.equals(markHash(one))))
  if (mark !== undefined) return { by: 'mark', mark }
  return known.length > 0 ? { by: 'address' } : undefined
}

/**
 * The key under which the visitor's tries are counted: the hash of the mark for a known browser, otherwise the IP
 * address.
 */
export function countedBy(known: Known | undefined, { address }: Visitor): string {
  return known?.by === 'mark' ? markHash(known.mark).toString('hex') : address
}

/**
 * Stores the visitor's browser and IP address as known. Call this only after the visitor's identity is proved. The
 * browser gets a fresh mark unless this person knows one of its marks: another website may have planted a mark that
 * somebody else knows. A mark from before the cookie had its present name is forgotten, so that it counts once (D132).
 */
export async function rememberVisitor(
  tx: Db | Tx,
  { clock }: Pick<Deps, 'clock'>,
  personId: string,
  visitor: Visitor,
): Promise<void> {
  await forgetKnownSources(tx, personId, visitor.earlierMarks.map(markHash))
  const known = await findSourcesOfPerson(tx, personId, visitor.marks.map(markHash))
  const mark = visitor.marks.find((one) => known.some((hash) => hash.equals(markHash(one)))) ?? newToken()
  visitor.keepMarks([mark, ...visitor.marks.filter((one) => one !== mark)])
  const sources = [addressHash(visitor.address), markHash(mark)]
  await keepKnownSources(tx, personId, sources, clock.now().toISOString())
}

function addressHash(address: string): Buffer {
  return hashToken(`address ${address}`)
}

function markHash(mark: string): Buffer {
  return hashToken(`mark ${mark}`)
}
