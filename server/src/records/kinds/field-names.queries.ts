import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { CrmModule } from '../crm-records.ts'

/** The CRM's names of the module's fields when all records were last read, by the portal's names. */
export async function findFieldNames(db: Db, module: CrmModule): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('crm_field_names').select(['field', 'name']).where('module', '=', module).execute()
  return new Map(rows.map(({ field, name }) => [field, name]))
}

export async function keepFieldNames(db: Db, module: CrmModule, names: ReadonlyMap<string, string>): Promise<void> {
  await sql`
    insert into crm_field_names (module, field, name)
    select ${module}, field, name from unnest(${[...names.keys()]}::text[], ${[...names.values()]}::text[]) as now (field, name)
        on conflict (module, field) do update set name = excluded.name`.execute(db)
}
