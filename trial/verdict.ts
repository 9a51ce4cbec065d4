import pg from 'pg'
import type { Acknowledged } from './load.ts'
import { until } from './processes.ts'
import type { Came } from './receivers.ts'
import type { Remark } from './staff.ts'
import type { Stage } from './stage.ts'
import type { Streams } from './streams.ts'

/** The results for everything that was acknowledged or written during one act. */
export interface Verdict {
  leads: number
  leadsLost: number
  crmLost: number
  crmDoubled: number
  deliveriesLost: number
  /**
   * Events or mails that arrived again under another id. Copies with the same id count as repeats instead, because a
   * receiver recognises them.
   */
  deliveriesDoubled: number
  deliveriesRepeated: number
  mails: number
  mailsLost: number
  mailsDoubled: number
  mailsRepeated: number
  /** The sum over all pages. */
  eventsMissed: number
  eventsDoubled: number
}

interface Evidence {
  stage: Stage
  databaseHost: string
  acknowledged: readonly Acknowledged[]
  remarks: readonly Remark[]
  streams: Streams
  fault(text: string): void
}

/** A mail waits two minutes for further changes, and is sent at the next full minute. */
const TOLD_MS_MAX = 300_000

/**
 * Waits until all work is done, but for five minutes at most for each kind of work. Then compares the acknowledged
 * submissions and the lender's remarks with their results, act by act.
 */
export async function judge(evidence: Evidence): Promise<Map<string, Verdict>> {
  const { stage, acknowledged, remarks, streams, databaseHost } = evidence
  const pool = new pg.Pool({ connectionString: `postgres://portal@${databaseHost}/portal` })
  const startedAt = Date.now()
  const done = async (what: string, look: () => Promise<boolean>) => {
    await until(what, look, TOLD_MS_MAX).then(
      () => console.log(`waited for ${what}: ${((Date.now() - startedAt) / 1_000).toFixed(0)} s since the last act`),
      (error: Error) => evidence.fault(error.message),
    )
  }
  await done('all leads to be in the CRM', async () => {
    const sql = "select 1 from leads where crm <> 'synced' limit 1"
    return (await pool.query(sql)).rows.length === 0
  })
  const deliveryOf = (remark: Remark) => `note.added ${remark.loid}`
  await done('all webhooks to be delivered', async () => {
    const { came } = stage.webhooks
    return (
      acknowledged.every(({ loid }) => came.has(`lead.created ${loid}`)) &&
      remarks.every((one) => came.has(deliveryOf(one)))
    )
  })
  await done('all mails to be sent', async () => remarks.every(({ words }) => stage.mails.came.has(words)))

  const inDatabase = countEach(
    (await pool.query<{ email: string }>('select email from leads')).rows.map(({ email }) => email),
  )
  await pool.end()
  const inCrm = countEach((await stage.crm.list('Leads', ['Email'])).map((row) => String(row['Email'])))
  const verdicts = new Map<string, Verdict>()
  const of = (act: string): Verdict => {
    const verdict = verdicts.get(act) ?? emptyVerdict()
    verdicts.set(act, verdict)
    return verdict
  }
  for (const { email, loid, account, act } of acknowledged) {
    const verdict = of(act)
    verdict.leads += 1
    if (!inDatabase.has(email)) verdict.leadsLost += 1
    if (!inCrm.has(email)) verdict.crmLost += 1
    verdict.crmDoubled += (inCrm.get(email) ?? 1) - 1
    count(verdict, 'deliveries', stage.webhooks.came, `lead.created ${loid}`)
    const told = streams.timesTold(account, loid)
    verdict.eventsMissed += told.filter((times) => times === 0).length
    verdict.eventsDoubled += told.filter((times) => times > 1).length
  }
  for (const remark of remarks) {
    const verdict = of(remark.act)
    verdict.mails += 1
    count(verdict, 'mails', stage.mails.came, remark.words)
    count(verdict, 'deliveries', stage.webhooks.came, deliveryOf(remark))
  }
  return verdicts
}

function count(verdict: Verdict, what: 'deliveries' | 'mails', came: Came, key: string): void {
  const ids = came.get(key) ?? []
  const different = new Set(ids).size
  if (different === 0) verdict[`${what}Lost`] += 1
  verdict[`${what}Doubled`] += Math.max(different - 1, 0)
  verdict[`${what}Repeated`] += ids.length - different
}

/** The verdict on an act during which nothing was acknowledged or written. */
export function emptyVerdict(): Verdict {
  return {
    leads: 0,
    leadsLost: 0,
    crmLost: 0,
    crmDoubled: 0,
    deliveriesLost: 0,
    deliveriesDoubled: 0,
    deliveriesRepeated: 0,
    mails: 0,
    mailsLost: 0,
    mailsDoubled: 0,
    mailsRepeated: 0,
    eventsMissed: 0,
    eventsDoubled: 0,
  }
}

export function countEach(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}
