import type { ListView, ViewedList } from '@portal/contract/views.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { isId } from '../../platform/db/ids.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'

type Viewer = Pick<SessionCaller, 'id' | 'personId'>

/** The views that a person sees, by name: their own, and those that active owners share. */
export function findViews(db: Db | Tx, viewer: Viewer): Promise<ListView[]> {
  return visibleViews(db, viewer).orderBy(sql`list_views.name collate "und-x-icu"`).orderBy('list_views.id').execute()
}

export async function findView(db: Db | Tx, viewer: Viewer, id: string): Promise<ListView | undefined> {
  if (!isId(id)) return undefined
  return visibleViews(db, viewer).where('list_views.id', '=', id).executeTakeFirst()
}

function visibleViews(db: Db | Tx, { id: partnerId, personId }: Viewer) {
  return db
    .selectFrom('list_views')
    .innerJoin('people', 'people.id', 'list_views.person_id')
    .innerJoin('partners', 'partners.id', 'list_views.partner_id')
    .leftJoin('default_views', (join) =>
      join.onRef('default_views.view_id', '=', 'list_views.id').on('default_views.person_id', '=', personId),
    )
    .select(['list_views.id', 'list_views.list', 'list_views.name', 'list_views.query', 'list_views.is_shared'])
    .select((eb) => [
      eb('list_views.person_id', '=', personId).$castTo<boolean>().as('is_mine'),
      eb('default_views.view_id', 'is not', null).$castTo<boolean>().as('is_default'),
      sql<string>`coalesce(nullif(concat_ws(' ', people.first_name, people.last_name), ''), partners.business_name)`.as(
        'owner_name',
      ),
    ])
    .where('list_views.partner_id', '=', partnerId)
    .where((eb) =>
      eb.or([
        eb('list_views.person_id', '=', personId),
        eb.and([
          eb('list_views.is_shared', '=', true),
          eb('people.is_active', '=', true),
          eb('people.role', '=', 'owner'),
        ]),
      ]),
    )
}

/** Stores a view and returns its id. The person's view of the same list and name gets the new address instead. */
export async function saveView(
  tx: Tx,
  view: {
    id: string
    partner_id: string
    person_id: string
    list: ViewedList
    name: string
    query: string
    created_at: string
  },
): Promise<string> {
  const { id } = await tx
    .insertInto('list_views')
    .values({ ...view, is_shared: false })
    .onConflict((conflict) => conflict.columns(['person_id', 'list', 'name']).doUpdateSet({ query: view.query }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function countViews(tx: Tx, { id, personId }: Viewer): Promise<number> {
  const { count } = await tx
    .selectFrom('list_views')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('partner_id', '=', id)
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow()
  return count
}

export async function updateView(
  tx: Tx,
  viewer: Viewer,
  id: string,
  change: { name: string } | { is_shared: boolean },
): Promise<void> {
  await tx
    .updateTable('list_views')
    .set(change)
    .where('partner_id', '=', viewer.id)
    .where('person_id', '=', viewer.personId)
    .where('id', '=', id)
    .execute()
}

/** Until the transaction ends, no other call keeps or renames a view of the person. */
export async function lockViewsOf(tx: Tx, personId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`views ${personId}`}, 0))`.execute(tx)
}

/** Until the transaction ends, nobody removes the view. */
export async function lockView(tx: Tx, partnerId: string, id: string): Promise<void> {
  if (!isId(id)) return
  await tx
    .selectFrom('list_views')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('id', '=', id)
    .forShare()
    .execute()
}

/** Makes the view the one with which the person's list opens. */
export async function saveDefault(
  tx: Tx,
  personId: string,
  { id, list }: Pick<ListView, 'id' | 'list'>,
): Promise<void> {
  await tx
    .insertInto('default_views')
    .values({ person_id: personId, list, view_id: id })
    .onConflict((conflict) => conflict.columns(['person_id', 'list']).doUpdateSet({ view_id: id }))
    .execute()
}

export async function removeDefault(tx: Tx, personId: string, viewId: string): Promise<void> {
  await tx.deleteFrom('default_views').where('person_id', '=', personId).where('view_id', '=', viewId).execute()
}

/** Returns false if the person has no such view of their own. */
export async function deleteView(db: Db, viewer: Viewer, id: string): Promise<boolean> {
  if (!isId(id)) return false
  const removal = await db
    .deleteFrom('list_views')
    .where('partner_id', '=', viewer.id)
    .where('person_id', '=', viewer.personId)
    .where('id', '=', id)
    .executeTakeFirst()
  return removal.numDeletedRows > 0n
}
