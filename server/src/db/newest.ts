import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { allOf, everyWordIn, trigramsOf } from './matches.ts'
import { type Sender, sendNamed } from './named.ts'

/** Most partners have no more, and what is common is found among them: looking through so many takes a millisecond. */
const NEWEST = 4_000

/** A partner's leads or deals. */
export interface Listed {
  table: 'leads' | 'deals'
  partnerId: string
  /** Which of them: those that the partner sees, within dates. */
  among: RawBuilder<SqlBool>[]
  /** What is asked of these, in columns that their `_scanned` index includes. */
  matching: RawBuilder<SqlBool>[]
}

export interface Searched {
  text: string
  /** The lists' search box looks in the first line of what is searched only (D24). */
  scope: 'list' | 'all'
}

interface Part {
  offset: number
  limit: number
}

/** The ids of what matches, newest first, read from an index alone. */
export async function findNewest({ db, pool }: Sender, listed: Listed, { offset, limit }: Part): Promise<string[]> {
  const statement = sql<{ id: string }>`
    select id
      from ${sql.table(listed.table)}
     where partner_id = ${listed.partnerId} and ${allOf([...listed.among, ...listed.matching])}
     order by created_at desc, id desc
     limit ${limit} offset ${offset}`
  const rows = await sendNamed(pool, statement.compile(db))
  return rows.map((row) => row.id)
}

/**
 * The ids of what matches and has every word, newest first. Looks through the newest rows, among which is enough of
 * what is common; what is rare there is looked up by its trigrams. So the time does not grow with what the partner has:
 * reading through a hundred thousand leads takes 25 ms, this one to three.
 */
export async function searchNewest(sender: Sender, listed: Listed, searched: Searched, part: Part): Promise<string[]> {
  const { table, partnerId, among, matching } = listed
  const words = hasWords(searched)
  const enough = part.offset + part.limit
  const statement = sql<{ id: string; matches: boolean; place: number }>`
    select id, matches, place
      from (select id, created_at, row_number() over (order by created_at desc, id desc) as place,
                   ${allOf([...matching, words])} as matches
              from ${sql.table(table)}
             where partner_id = ${partnerId} and ${allOf(among)}
             order by created_at desc, id desc
             limit ${sql.lit(NEWEST)}) newest
     where matches or place = ${sql.lit(NEWEST)}
     order by created_at desc, id desc
     limit ${enough}`
  const rows = await sendNamed(sender.pool, statement.compile(sender.db))
  const ids = rows.filter((row) => row.matches).map((row) => row.id)
  const areOlder = rows.at(-1)?.place === NEWEST
  if (ids.length === enough || !areOlder) return ids.slice(part.offset)
  return findNewest(
    sender,
    { ...listed, matching: [...matching, ...hasTrigrams(partnerId, searched.text), words] },
    part,
  )
}

function hasWords({ text, scope }: Searched): RawBuilder<SqlBool> {
  const anywhere = everyWordIn(sql.ref('search_text'), text)
  return scope === 'all' ? anywhere : allOf([anywhere, everyWordIn(sql`split_part(search_text, E'\\n', 1)`, text)])
}

/** A word of one or two letters cannot be looked up; then the index of what is searched is read through, in 25 ms. */
function hasTrigrams(partnerId: string, text: string): RawBuilder<SqlBool>[] {
  const trigrams = trigramsOf(text)
  if (trigrams.length === 0) return []
  return [sql`search_keys(partner_id, show_trgm(search_text)) @> search_keys(${partnerId}, ${trigrams})`]
}
