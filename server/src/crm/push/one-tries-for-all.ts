import type { Deps } from '../../deps.ts'
import { NotYet } from '../../platform/jobs/define-job.ts'
import { forgetTaken, type RefusedPush, takeTry } from './refused-pushes.queries.ts'

/**
 * Throws `NotYet` if the CRM has refused this record for a reason of its own and another record of the same cause was tried
 * a short while ago (D125). However many records wait, each cause costs one try in a quarter of an hour.
 */
export async function waitForTry({ db, clock }: Pick<Deps, 'db' | 'clock'>, push: RefusedPush): Promise<void> {
  if (await takeTry(db, push, clock.now())) return
  throw new NotYet('the CRM refuses such records, and another one of them is tried')
}

/** Lets everything go that the CRM had refused for the same cause as these records, which it has taken now. */
export async function letOthersGo(
  { db, jobs }: Pick<Deps, 'db' | 'jobs'>,
  partnerId: string,
  kind: RefusedPush['kind'],
  records: readonly string[],
): Promise<void> {
  if (records.length === 0) return
  const others = await forgetTaken(db, partnerId, kind, records)
  await jobs.hasten(
    db,
    others.map((other) => other.record),
  )
}
