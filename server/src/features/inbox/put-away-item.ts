import { ATTENTION_KINDS } from '@portal/contract/attention.ts'
import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { NotFound } from '../../errors.ts'
import type { SessionCaller } from '../../http/authenticate.ts'
import { hasRecord, insertPutAway } from './attention.queries.ts'

const TABLES = { lead: 'leads', deal: 'deals', note: 'notes' } as const

/** The parts of an item's id: the item's kind, the record's kind and id, and the version. */
const ItemId = z.tuple([
  z.enum(ATTENTION_KINDS),
  z.enum(['lead', 'deal', 'note']),
  z.guid(),
  z.string().check(z.regex(/^\d{1,16}$/)),
])

/** Hides this version of an item from the person. A later version is shown again (D74). */
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
