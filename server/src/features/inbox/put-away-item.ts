import { ATTENTION_KINDS } from '@portal/contract/attention.ts'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { NotFound } from '../../errors.ts'
import type { SessionCaller } from '../../http/authenticate.ts'
import { hasRecord, insertPutAway } from './attention.queries.ts'

const TABLES = { lead: 'leads', deal: 'deals', note: 'notes' } as const

/** An item's id: its kind, what it is about, and which version of that. */
const ItemId = z.tuple([
  z.enum(ATTENTION_KINDS),
  z.enum(['lead', 'deal', 'note']),
  z.guid(),
  z.string().check(z.regex(/^\d{1,16}$/)),
])

/** The person does not want to see the item as it is now. A later version of it is shown all the same (D74). */
export async function putAwayItem(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { id: partnerId, personId }: SessionCaller,
  itemId: string,
): Promise<void> {
  const parsed = ItemId.safeParse(itemId.split('.'))
  if (!parsed.success) throw noSuchItem()
  const [kind, of, recordId, version] = parsed.data
  if (!(await hasRecord(db, partnerId, TABLES[of], recordId))) throw noSuchItem()
  const item = { person_id: personId, kind, record_id: recordId, version: Number(version) }
  await insertPutAway(db, item, clock.now().toISOString())
}

function noSuchItem(): NotFound {
  return new NotFound('There is no such item')
}
