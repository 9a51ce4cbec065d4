import type { FieldGroup } from '@portal/contract/field-groups.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'

/** The groups of optional fields that are on, each with the portal's names of the fields that the organisation has. */
export async function findFieldGroups(db: Db): Promise<ReadonlyMap<FieldGroup, readonly string[]>> {
  const rows = await db.selectFrom('crm_field_groups').select(['name', 'fields']).execute()
  return new Map(rows.map(({ name, fields }) => [name, fields]))
}

/** Stores which groups are on. A group whose fields have changed is read again. */
export async function keepFieldGroups(db: Db, on: ReadonlyMap<FieldGroup, { there: string[] }>, now: Date) {
  const names = [...on.keys()]
  await sql`delete from crm_field_groups where name <> all(${names}::text[])`.execute(db)
  for (const [name, { there }] of on) {
    await sql`
      insert into crm_field_groups (name, fields, seen_at) values (${name}, ${there}::text[], ${now.toISOString()})
          on conflict (name) do update set fields = excluded.fields, seen_at = excluded.seen_at, read_at = null
       where crm_field_groups.fields <> excluded.fields`.execute(db)
  }
}

/** The fields of groups that were not read since `knownMs` after they were seen. */
export async function findFieldsToRead(db: Db, knownMs: number): Promise<string[]> {
  const { rows } = await sql<{ field: string }>`
    select unnest(fields) as field from crm_field_groups
     where read_at is null or read_at < seen_at + ${`${knownMs} milliseconds`}::interval`.execute(db)
  return rows.map((row) => row.field)
}

/** Stores that the values of these fields were read to the end. */
export async function markFieldsRead(db: Db, fields: readonly string[], begunAt: Date): Promise<void> {
  await sql`
    update crm_field_groups set read_at = ${begunAt.toISOString()}
     where fields <@ ${fields}::text[] and seen_at <= ${begunAt.toISOString()}`.execute(db)
}

/**
 * Writes the values of these columns into the rows that hold the same version of the records. Nobody is told, because
 * the values are not new in the CRM. Free text of erased applicants stays empty (D97).
 */
export async function writeValues(
  db: Db,
  table: 'leads' | 'deals',
  columns: readonly string[],
  items: readonly { zoho_id: string; modified_time: string }[],
  erased: object,
): Promise<void> {
  const written = columns.map((column) => {
    const value = sql.ref(`told.${column}`)
    const kept = Object.hasOwn(erased, column) ? sql`case when kept.erased_at is null then ${value} end` : value
    return sql`${sql.id(column)} = ${kept}`
  })
  const differ = columns.map(
    (column) => sql`${sql.ref(`kept.${column}`)} is distinct from ${sql.ref(`told.${column}`)}`,
  )
  await sql`
    update ${sql.table(table)} as kept set ${sql.join(written)}
      from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(items)}::json) as told
     where kept.zoho_id = told.zoho_id and kept.crm_modified_time = told.modified_time
       and (${sql.join(differ, sql` or `)})`.execute(db)
}

/** The CRM ids of rows with a value in one of these columns, except the given ids. */
export async function findWithOptionalValuesOfAllPartners(
  db: Db,
  table: 'leads' | 'deals',
  columns: readonly string[],
  except: readonly string[],
): Promise<string[]> {
  const isThere = columns.map((column) => sql`${sql.id(column)} is not null`)
  const { rows } = await sql<{ zoho_id: string }>`
    select zoho_id from ${sql.table(table)} as kept
     where zoho_id is not null and archived_at is null and (${sql.join(isThere, sql` or `)})
       and not exists (select from unnest(${except}::text[]) as listed (zoho_id) where listed.zoho_id = kept.zoho_id)`.execute(
    db,
  )
  return rows.map((row) => row.zoho_id)
}
