import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { keysOf } from './search-columns.ts'
import { type Sender, sendForValues, sendNamed } from './send-named.ts'
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
  /** The order in which an index has just these rows, if it is not that of the list. */
  countedAlong?: RawBuilder<unknown> | undefined
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

function findRows(sender: Sender, listed: Listed, { offset, limit }: Part): Promise<Found[]> {
  const statement = sql<Found>`
    select id, created_at
      from ${sql.table(listed.table)}
     where partner_id = ${listed.partnerId} and ${allOf([...listed.among, ...listed.matching])}
     order by created_at desc, id desc
     limit ${limit} offset ${offset}`
  return sendFiltered(sender, listed, statement)
}

/** Sends a statement about listed rows, planned for the values of their filters if they have any. */
export function sendFiltered<Row>(
  { db, pool }: Sender,
  { matching }: Listed,
  statement: RawBuilder<Row>,
): Promise<Row[]> {
  const compiled = statement.compile(db)
  return matching.length > 0 ? sendForValues(pool, compiled) : sendNamed(pool, compiled)
}

interface Found {
  id: string
  created_at: string
}

/** Finds the ids of the matching rows that contain every word, newest first. */
export async function searchNewest(sender: Sender, listed: Listed, searched: Searched, part: Part): Promise<string[]> {
  const first = await searchFirst(sender, listed, searched, part)
  return (await searchOn(sender, listed, searched, part, first)).map((row) => row.id)
}

/** What the newest rows have. Undefined `rest` means that they were all rows, or had enough. */
interface First {
  rows: Found[]
  rest: { areWordsCommon: boolean } | undefined
}

async function searchFirst(
  sender: Sender,
  { table, partnerId, among, matching }: Listed,
  searched: Searched,
  part: Part,
): Promise<First> {
  const enough = part.offset + part.limit
  const { words, fits } = conditions(searched)
  // `matches` is null in rows without the words, so `count(matches)` is the number of rows that contain them. The row
  // at place `NEWEST` shows that more rows may follow.
  const statement = sql<Found & { matches: boolean | null; place: number; with_words: number }>`
    select id, created_at, matches, place, with_words
      from (select id, created_at, matches, row_number() over newest_first as place, count(matches) over newest_first as with_words
              from (select id, created_at, case when ${words} then (${allOf([...matching, ...fits])}) is true end as matches
                      from ${sql.table(table)}
                     where partner_id = ${partnerId} and ${allOf([...among, IS_FOLDED])}
                     order by created_at desc, id desc
                     limit ${sql.lit(NEWEST)}) newest
            window newest_first as (order by created_at desc, id desc rows unbounded preceding)) counted
     where matches or place = ${sql.lit(NEWEST)}
     order by created_at desc, id desc
     limit ${enough}`
  const newest = await sendNamed(sender.pool, statement.compile(sender.db))
  const found = newest.filter((row) => row.matches)
  const last = newest.at(-1)
  // If many of the newest rows contain the words, reading on is quicker. If few do, looking the words up is quicker.
  // Both take about the same time if every 200th row contains the words and 50 rows are wanted, or if every 100th row
  // contains them and 200 rows are wanted.
  const rest =
    found.length === enough || last?.place !== NEWEST
      ? undefined
      : { areWordsCommon: last.with_words ** 2 >= enough / 2 }
  return { rows: found, rest }
}

/**
 * Finds the rows that contain the words, after their newest were searched. Words that are rare in those are looked up
 * by their trigrams, so for most words the time does not grow with the partner's records. Reading through a hundred
 * thousand leads takes 25 ms; a look-up by trigrams takes 1 or 2 ms.
 */
async function searchOn(
  sender: Sender,
  listed: Listed,
  searched: Searched,
  part: Part,
  { rows, rest }: First,
): Promise<Found[]> {
  if (!rest) return rows.slice(part.offset)
  const { words, fits } = conditions(searched)
  const keys = rest.areWordsCommon ? [] : hasTrigrams(listed.partnerId, searched.text)
  return findRows(sender, { ...listed, matching: [IS_FOLDED, ...keys, words, ...listed.matching, ...fits] }, part)
}

/** Each row is folded. Saying so lets PostgreSQL use the indexes that were built while some rows were not. */
const IS_FOLDED = sql<SqlBool>`search_fold is not null`

function conditions({ text, scope }: Searched) {
  const column = sql.ref<string>('search_fold')
  return {
    words: everyWordIn(column, text, 'folded'),
    fits: scope === 'list' ? [everyWordIn(sql`split_part(${column}, E'\\n', 1)`, text, 'folded')] : [],
  }
}

/** The condition that a row is found. It reads each row that it is asked about. */
export function contains(searched: Searched): RawBuilder<SqlBool> {
  const { words, fits } = conditions(searched)
  return allOf([words, ...fits])
}

/**
 * Only a word with three letters or digits in a row can be looked up. If there is no such word, the index is read
 * through until enough rows are found. Reading the whole index takes 25 ms for a hundred thousand leads.
 */
function hasTrigrams(partnerId: string, text: string): RawBuilder<SqlBool>[] {
  const keys = keysOf(partnerId, trigramsOf(text))
  return keys.length === 0 ? [] : [sql`search_keys @> ${keys}::integer[]`]
}
