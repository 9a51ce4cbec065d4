import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Sender, sendNamed } from './send-named.ts'
import { allOf, everyWordIn, trigramsOf } from './sql-conditions.ts'

/** How many of the newest rows are searched first. This takes half a millisecond and finds common words. */
const NEWEST = 1_000
/** A partner's leads or deals. */
export interface Listed {
  table: 'leads' | 'deals'
  partnerId: string
  /** The conditions that limit the rows to those that the partner may see, and to the dates of the filter. */
  among: RawBuilder<SqlBool>[]
  /** Further filters. The `_scanned` index includes their columns, except the submitter's. */
  matching: RawBuilder<SqlBool>[]
}

export interface Searched {
  text: string
  /** The lists' search boxes look only at the first line of `search_text` (D24). */
  scope: 'list' | 'all'
}

interface Part {
  offset: number
  limit: number
}

/**
 * Finds the ids of the matching rows, newest first. Reads only an index, unless `matching` looks up trigrams, or a
 * search is limited to one submitter.
 */
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
 * Finds the ids of the matching rows that contain every word, newest first. Searches the newest rows first. Words that
 * are rare in those rows are looked up by their trigrams, so for most words the time does not grow with the partner's
 * records. Reading through a hundred thousand leads takes 25 ms; a look-up by trigrams takes 1 or 2 ms.
 */
export async function searchNewest(sender: Sender, listed: Listed, searched: Searched, part: Part): Promise<string[]> {
  const { table, partnerId, among, matching } = listed
  const { text, scope } = searched
  const words = everyWordIn(sql.ref('search_text'), text)
  const fits = scope === 'list' ? [...matching, everyWordIn(sql`split_part(search_text, E'\\n', 1)`, text)] : matching
  const enough = part.offset + part.limit
  // `matches` is null in rows without the words, so `count(matches)` is the number of rows that contain them. The row
  // at place `NEWEST` shows that more rows may follow.
  const statement = sql<{ id: string; matches: boolean | null; place: number; with_words: number }>`
    select id, matches, place, with_words
      from (select id, created_at, matches, row_number() over newest_first as place, count(matches) over newest_first as with_words
              from (select id, created_at, case when ${words} then (${allOf(fits)}) is true end as matches
                      from ${sql.table(table)}
                     where partner_id = ${partnerId} and ${allOf(among)}
                     order by created_at desc, id desc
                     limit ${sql.lit(NEWEST)}) newest
            window newest_first as (order by created_at desc, id desc rows unbounded preceding)) counted
     where matches or place = ${sql.lit(NEWEST)}
     order by created_at desc, id desc
     limit ${enough}`
  const rows = await sendNamed(sender.pool, statement.compile(sender.db))
  const ids = rows.filter((row) => row.matches).map((row) => row.id)
  const last = rows.at(-1)
  if (ids.length === enough || last?.place !== NEWEST) return ids.slice(part.offset)
  // If many of the newest rows contain the words, reading on is quicker. If few do, looking the words up is quicker.
  // Both take about the same time if every 200th row contains the words and 50 rows are wanted, or if every 100th row
  // contains them and 200 rows are wanted.
  const areCommon = last.with_words ** 2 >= enough / 2
  const keys = areCommon ? [] : hasTrigrams(partnerId, text)
  return findNewest(sender, { ...listed, matching: [...keys, words, ...fits] }, part)
}

/**
 * Only a word with three Latin letters or digits in a row can be looked up. If there is no such word, the `_scanned`
 * index is read until enough rows are found. Reading the whole index takes 25 ms for a hundred thousand leads.
 */
function hasTrigrams(partnerId: string, text: string): RawBuilder<SqlBool>[] {
  const trigrams = trigramsOf(text)
  if (trigrams.length === 0) return []
  return [sql`search_keys(partner_id, show_trgm(search_text)) @> search_keys(${partnerId}, ${trigrams})`]
}
