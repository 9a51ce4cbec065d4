import type pg from 'pg'

export interface TableToCopy {
  /** A name such as `public.leads`, quoted where necessary. */
  name: string
  columns: string[]
  /**
   * For each column, the expression that reads its value: null for a transaction id, which means nothing in another
   * database.
   */
  values: string[]
}

/** Tables that the migrations or the job queue fill themselves. */
const LEFT_OUT = [
  'public.kysely_migration',
  'public.kysely_migration_lock',
  'jobs.version',
  'jobs.bam',
  'jobs.warning',
  'jobs.queue_stats',
]

/**
 * Every table of the portal and of its job queue except those in `LEFT_OUT`, without computed columns. Each table
 * follows the tables that its foreign keys refer to.
 */
export async function findTables(client: pg.PoolClient): Promise<TableToCopy[]> {
  const { rows } = await client.query<TableToCopy & { after: string[] }>(`
    select format('%I.%I', space.nspname, class.relname) as name,
           (select array_agg(format('%I', attname) order by attnum) from pg_attribute
             where attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
           (select array_agg(case atttypid when 'xid8'::regtype then 'null' else format('%I', attname) end order by attnum)
              from pg_attribute
             where attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = '') as values,
           array(select format('%I.%I', other_space.nspname, other.relname)
                   from pg_constraint fk
                   join pg_class other on other.oid = fk.confrelid
                   join pg_namespace other_space on other_space.oid = other.relnamespace
                  where fk.conrelid = class.oid and fk.contype = 'f' and fk.confrelid <> class.oid) as after
      from pg_class class
      join pg_namespace space on space.oid = class.relnamespace
     where space.nspname in ('public', 'jobs') and class.relkind in ('r', 'p') and not class.relispartition
     order by 1`)
  const waiting = rows.filter(({ name }) => !LEFT_OUT.includes(name))
  const ordered: TableToCopy[] = []
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ after }) => !waiting.some(({ name }) => after.includes(name)))
    const [table] = waiting.splice(Math.max(next, 0), 1)
    if (table) ordered.push({ name: table.name, columns: table.columns, values: table.values })
  }
  return ordered
}

/** The current value of each sequence that has been used. */
export async function findSequences(client: pg.PoolClient): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; value: string }>(`
    select format('%I.%I', schemaname, sequencename) as name, last_value::text as value
      from pg_sequences where schemaname in ('public', 'jobs') and last_value is not null`)
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}
