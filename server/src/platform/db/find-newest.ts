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
  /** Reads how many rows there are from counts that are kept, if the filters allow it. */
  keptCount?: (() => Promise<number>) | undefined
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
export async function findNewest(sender: Sender, listed: Listed, { offset, limit }: Part): Promise<string[]> {
  const statement = sql<{ id: string }>`
    select id
      from ${sql.table(listed.table)}
     where partner_id = ${listed.partnerId} and ${allOf([...listed.among, ...listed.matching])}
     order by created_at desc, id desc
     limit ${limit} offset ${offset}`
  return (await sendFiltered(sender, listed, statement)).map((row) => row.id)
}

/**
 * Counts in the order of an index, so that PostgreSQL reads along it and stops. Without an order it gathered all rows of
 * a common status before it counted the first, and in the order of the list all that had changed since a day.
 */
export async function countUpTo(
  sender: Sender,
  listed: Listed,
  max: number,
  found: RawBuilder<SqlBool>[] = [],
): Promise<number> {
  const statement = sql<{ total: number }>`
    select count(*)::integer as total
      from (select from ${sql.table(listed.table)}
             where partner_id = ${listed.partnerId} and ${allOf([...listed.among, ...found, ...listed.matching])}
             order by ${listed.countedAlong ?? sql`created_at desc, id desc`}
             limit ${max}) counted`
  const [counted] = await sendFiltered(sender, listed, statement)
  return counted?.total ?? 0
}

/** Sends a statement about listed rows, planned for the values of their filters if they have any. */
export function sendFiltered<Row>(
  { db, pool }: Sender,
  { matching }: Pick<Listed, 'matching'>,
  statement: RawBuilder<Row>,
): Promise<Row[]> {
  const compiled = statement.compile(db)
  return matching.length > 0 ? sendForValues(pool, compiled) : sendNamed(pool, compiled)
}

/**
 * Finds the ids of the matching rows that contain every word, newest first, and how many there are in all, counted up to
 * `max`.
 */
export async function searchNewest(
  sender: Sender,
  listed: Listed,
  searched: Searched,
  part: Part,
  max: number,
): Promise<{ ids: string[]; total: number }> {
  const first = await searchFirst(sender, listed, searched, part)
  const ids = first.ids.slice(part.offset)
  if (first.isWhole) return { ids, total: first.ids.length }
  const found = await contained(sender, listed, searched, first, max)
  const isPageFound = first.ids.length === part.offset + part.limit
  return isPageFound
    ? { ids, total: await countUpTo(sender, listed, max, found) }
    : findCounted(sender, listed, part, max, found)
}

/** Finds a part of the rows and counts all in one reading. */
async function findCounted(
  sender: Sender,
  { table, partnerId, among, matching }: Listed,
  { offset, limit }: Part,
  max: number,
  found: RawBuilder<SqlBool>[],
): Promise<{ ids: string[]; total: number }> {
  const statement = sql<{ total: number; ids: string[] }>`
    with found as (
      select id, row_number() over (order by created_at desc, id desc) as place
        from ${sql.table(table)}
       where partner_id = ${partnerId} and ${allOf([...among, ...found, ...matching])}
       order by created_at desc, id desc
       limit ${max}
    )
    select count(*)::integer as total,
           coalesce(array_agg(id order by place) filter (where place > ${offset} and place <= ${offset + limit}), '{}') as ids
      from found`
  const [all] = await sendFiltered(sender, { matching }, statement)
  return all ?? { ids: [], total: 0 }
}

/** What the newest rows have. */
interface First {
  ids: string[]
  /** Whether these are all rows that contain the words. */
  isWhole: boolean
  /** How many of the newest `NEWEST` rows contain the words, by those that were read. */
  withWords: number
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
  const statement = sql<{ id: string; matches: boolean | null; place: number; with_words: number }>`
    select id, matches, place, with_words
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
  const ids = newest.filter((row) => row.matches).map((row) => row.id)
  const last = newest.at(-1)
  return {
    ids,
    isWhole: ids.length < enough && last?.place !== NEWEST,
    withWords: last ? (last.with_words / last.place) * NEWEST : 0,
  }
}

/**
 * The condition that a row contains the words. Words that are rare in the newest rows are looked up by their trigrams,
 * so for most words the time does not grow with the partner's records. Reading through a hundred thousand leads takes
 * 25 ms; a look-up by trigrams takes 1 or 2 ms. Both take about the same time if every 200th row contains the words and
 * 50 rows are wanted, or if every 100th row contains them and 200 rows are wanted.
 */
async function contained(
  sender: Sender,
  { table, partnerId }: Listed,
  searched: Searched,
  first: First,
  wanted: number,
): Promise<RawBuilder<SqlBool>[]> {
  const { words, fits } = conditions(searched)
  const areWordsCommon = first.withWords ** 2 >= wanted / 2
  const keys = areWordsCommon ? [] : keysOf(partnerId, trigramsOf(searched.text))
  const isLookedUp = keys.length > 0 && (await haveAllKeys(sender, table, partnerId))
  return [IS_FOLDED, ...(isLookedUp ? [sql<SqlBool>`search_keys @> ${keys}::integer[]`] : []), words, ...fits]
}

/** Whether all of the partner's rows have keys. Those of a partner with few rows have none. */
async function haveAllKeys({ db, pool }: Sender, table: Listed['table'], partnerId: string): Promise<boolean> {
  const statement = sql`select from ${sql.table(table)} where partner_id = ${partnerId} and search_keys is null limit 1`
  const lacking = await sendNamed(pool, statement.compile(db))
  return lacking.length === 0
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
