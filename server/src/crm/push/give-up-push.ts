import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'
import { recordMailNews } from '../../records/events/mail-news.ts'

/** The record whose push has just been given up. For a note, it is the note's lead or deal. */
interface GivenUp {
  loid: string
  on: 'lead' | 'deal'
  business_name: string | null
}

/**
 * Marks a record whose push is given up, and stores news for the partner's people (D73), in one transaction. `mark`
 * returns undefined if the push no longer has to be given up.
 */
export async function givePushUp(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  partnerId: string,
  what: 'lead' | 'deal' | 'note',
  mark: (tx: Tx) => Promise<GivenUp | undefined>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const record = await mark(tx)
    if (!record) return
    const { loid, on, business_name } = record
    const now = clock.now()
    await recordMailNews(tx, [
      {
        id: newId(now),
        partnerId,
        kind: 'crm',
        type: 'push.given-up',
        loid,
        data: { business_name, what, on },
        personId: null,
        at: now.toISOString(),
      },
    ])
  })
}
