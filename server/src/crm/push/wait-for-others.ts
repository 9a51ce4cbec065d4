import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Db } from '../../platform/db/database.ts'
import { NotYet } from '../../platform/jobs/define-job.ts'

/**
 * Throws `NotYet` if the partner has used more than its share of the day's CRM credits, and a push for a partner that has
 * not is due within five minutes (D122). Among those who wait the turns are equal: a process runs one push of each kind for
 * a partner.
 */
export async function waitForOthers({ db, crm }: Pick<Deps, 'db' | 'crm'>, partnerId: string): Promise<void> {
  const over = crm.partnersOverShare()
  if (over.has(partnerId) && (await doOthersWait(db, [...over.keys()]))) {
    throw new NotYet('the partner has used its share of the day’s CRM credits, and others wait')
  }
}

async function doOthersWait(db: Db, partnerIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select from jobs.job
     where name in ('push-partner', 'push-lead', 'push-deal', 'push-note') and state < 'active' and start_after <= now() + interval '5 minutes'
       and data ->> 'partnerId' <> all(${partnerIds}::text[])
     limit 1`.execute(db)
  return rows.length > 0
}
