import { randomBytes } from 'node:crypto'
import { loidFromBytes } from '@portal/contract/loid.ts'
import type { Reads } from '../../platform/db/hot-reads.ts'
import { findTakenLoidsOfAllPartners } from './taken-loids.queries.ts'

/** A LOID that no lead or deal has. */
export async function newLoid(reads: Reads): Promise<string> {
  const [loid] = await newLoids(reads, 1)
  return loid ?? newLoid(reads)
}

/** Makes `count` unused LOIDs. There are about 10^12 LOIDs, so a second try is rarely needed. */
export async function newLoids(reads: Reads, count: number): Promise<string[]> {
  const loids = new Set<string>()
  while (loids.size < count) {
    const wanted = Array.from({ length: count - loids.size }, () => loidFromBytes(randomBytes(8)))
    const taken = await findTakenLoidsOfAllPartners(reads, wanted)
    for (const loid of wanted) if (!taken.has(loid)) loids.add(loid)
  }
  return [...loids]
}
