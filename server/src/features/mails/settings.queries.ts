import type { MailKind, MailTiming } from '@portal/contract/notifications.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'

export type Choices = Partial<Record<MailKind, MailTiming>>

/** Returns undefined if the person never chose any settings. */
export function findSettings(db: Db | Tx, personId: string) {
  return db
    .selectFrom('notification_settings')
    .select(['choices', 'time_zone'])
    .where('person_id', '=', personId)
    .executeTakeFirst()
}

/** Saves the passed settings. Other settings stay as they are. */
export async function saveSettings(
  tx: Tx,
  personId: string,
  { choices, timeZone }: { choices: Choices; timeZone?: string | undefined },
): Promise<void> {
  const values = { person_id: personId, choices: JSON.stringify(choices), time_zone: timeZone ?? null }
  await tx
    .insertInto('notification_settings')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('person_id').doUpdateSet({
        choices: sql`notification_settings.choices || excluded.choices`,
        time_zone: sql`coalesce(excluded.time_zone, notification_settings.time_zone)`,
      }),
    )
    .execute()
}
