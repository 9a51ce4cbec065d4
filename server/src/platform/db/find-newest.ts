import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { keysOf } from './search-columns.ts'
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
  /** Further filters. The `_read_through` index includes their columns, except the submitter's. */
  matching: RawBuilder<SqlBool>[]
}

export interface Searched {
  text: string
  /** The lists' search boxes look only at the first line of what is searched (D24). */
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
export async function findNewest(sender: Sender, listed: Listed, part: Part): Promise<string[]> {
  return (await findRows(sender, listed, part)).map((row) => row.id)
}

async function findRows({ db, pool }: Sender, listed: Listed, { offset, limit }: Part): Promise<Found[]> {
  const statement = sql<Found>`
    select id, created_at
      from ${sql.table(listed.table)}
     where partner_id = ${listed.partnerId} and ${allOf([...listed.among, ...listed.matching])}
     order by created_at desc, id desc
     limit ${limit} offset ${offset}`
  return sendNamed(pool, statement.compile(db))
}

/** A column that is searched, with how it is written. */
interface SearchedColumn {
  name: 'search_fold' | 'search_text'
  spelling: 'folded' | 'lower case'
}
const FOLDED: SearchedColumn = { name: 'search_fold', spelling: 'folded' }
/** What a version before 0.3.0 searches in, and this version in rows that it has not folded yet. */
const UNFOLDED: SearchedColumn = { name: 'search_text', spelling: 'lower case' }

interface Found {
  id: string
  created_at: string
}

/**
 * Finds the ids of the matching rows that contain every word, newest first. While the partner has rows that are not
 * folded yet, all rows are also searched as the former version searches them.
 */
export async function searchNewest(sender: Sender, listed: Listed, searched: Searched, part: Part): Promise<string[]> {
  const first = await searchFirst(sender, listed, FOLDED, searched, part)
  if (!first.hasUnfolded) return (await searchOn(sender, listed, FOLDED, searched, part, first)).map((row) => row.id)
  const whole = { offset: 0, limit: part.offset + part.limit }
  const old = await searchFirst(sender, listed, UNFOLDED, searched, part)
  const both = [
    ...(await searchOn(sender, listed, FOLDED, searched, whole, first)),
    ...(await searchOn(sender, listed, UNFOLDED, searched, whole, old)),
  ]
  const times = new Map(both.map(({ id, created_at }) => [id, Date.parse(created_at)]))
  const ids = [...times].toSorted(([a, atA], [b, atB]) => atB - atA || (a < b ? 1 : -1)).map(([id]) => id)
  return ids.slice(part.offset, whole.limit)
}

/** What the newest rows have. Undefined `rest` means that they were all rows, or had enough. */
interface First {
  rows: Found[]
  rest: { areWordsCommon: boolean } | undefined
  hasUnfolded: boolean
}

/** Searches the newest rows, and in the same statement looks whether the partner has rows that are not folded yet. */
async function searchFirst(
  sender: Sender,
  { table, partnerId, among, matching }: Listed,
  column: SearchedColumn,
  searched: Searched,
  part: Part,
): Promise<First> {
  const enough = part.offset + part.limit
  const { isThere, words, fits } = conditions(column, searched)
  // `matches` is null in rows without the words, so `count(matches)` is the number of rows that contain them. The row
  // at place `NEWEST` shows that more rows may follow.
  const statement = sql<Found & { matches: boolean | null; place: number | null; with_words: number }>`
    (select id, created_at, matches, place, with_words
      from (select id, created_at, matches, row_number() over newest_first as place, count(matches) over newest_first as with_words
              from (select id, created_at, case when ${words} then (${allOf([...matching, ...fits])}) is true end as matches
                      from ${sql.table(table)}
                     where partner_id = ${partnerId} and ${allOf([...among, ...isThere])}
                     order by created_at desc, id desc
                     limit ${sql.lit(NEWEST)}) newest
            window newest_first as (order by created_at desc, id desc rows unbounded preceding)) counted
     where matches or place = ${sql.lit(NEWEST)}
     order by created_at desc, id desc
     limit ${enough})
    union all
    select partner_id, null, null, null, null
      from (select partner_id from ${sql.table(table)} where partner_id = ${partnerId} and search_fold is null limit 1) unfolded`
  const rows = await sendNamed(sender.pool, statement.compile(sender.db))
  const newest = rows.filter((row) => row.place !== null)
  const found = newest.filter((row) => row.matches)
  const last = newest.at(-1)
  // If many of the newest rows contain the words, reading on is quicker. If few do, looking the words up is quicker.
  // Both take about the same time if every 200th row contains the words and 50 rows are wanted, or if every 100th row
  // contains them and 200 rows are wanted.
  const rest =
    found.length === enough || last?.place !== NEWEST
      ? undefined
      : { areWordsCommon: last.with_words ** 2 >= enough / 2 }
  return { rows: found, rest, hasUnfolded: newest.length < rows.length }
}

/**
 * Finds the rows that contain the words, after their newest were searched. Words that are rare in those are looked up
 * by their trigrams, so for most words the time does not grow with the partner's records. Reading through a hundred
 * thousand leads takes 25 ms; a look-up by trigrams takes 1 or 2 ms.
 */
async function searchOn(
  sender: Sender,
  listed: Listed,
  column: SearchedColumn,
  searched: Searched,
  part: Part,
  { rows, rest }: First,
): Promise<Found[]> {
  if (!rest) return rows.slice(part.offset)
  const { isThere, words, fits } = conditions(column, searched)
  const keys = rest.areWordsCommon || column !== FOLDED ? [] : hasTrigrams(listed.partnerId, searched.text)
  return findRows(sender, { ...listed, matching: [...isThere, ...keys, words, ...listed.matching, ...fits] }, part)
}

function conditions({ name, spelling }: SearchedColumn, { text, scope }: Searched) {
  const column = sql.ref<string>(name)
  return {
    // Says to the planner that a partial index has all the rows.
    isThere: name === 'search_fold' ? [sql<SqlBool>`search_fold is not null`] : [],
    words: everyWordIn(column, text, spelling),
    fits: scope === 'list' ? [everyWordIn(sql`split_part(${column}, E'\\n', 1)`, text, spelling)] : [],
  }
}

/** The condition that a row is found, also one that is not folded yet. It reads each row that it is asked about. */
export function contains(searched: Searched): RawBuilder<SqlBool> {
  const inColumn = (column: SearchedColumn) => {
    const { words, fits } = conditions(column, searched)
    return allOf([words, ...fits])
  }
  return sql<SqlBool>`case when search_fold is null then ${inColumn(UNFOLDED)} else ${inColumn(FOLDED)} end`
}

/**
 * Only a word with three letters or digits in a row can be looked up. If there is no such word, the index is read
 * through until enough rows are found. Reading the whole index takes 25 ms for a hundred thousand leads.
 */
function hasTrigrams(partnerId: string, text: string): RawBuilder<SqlBool>[] {
  const keys = keysOf(partnerId, trigramsOf(text))
  return keys.length === 0 ? [] : [sql`search_keys @> ${keys}::integer[]`]
}
