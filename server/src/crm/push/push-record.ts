import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { defineJob, type Job } from '../../platform/jobs/define-job.ts'
import type { ArrivedRecord, SentRecords } from '../../records/crm-records.ts'
import { markPushed } from '../../records/kinds/crm-rows.queries.ts'
import type { CrmTable, NamedRecord, RecordRow } from '../../records/kinds/crm-table.ts'
import { isNotTaken, markNotTaken, NOT_TAKEN } from '../../records/kinds/not-taken.queries.ts'
import {
  clearSent,
  findToPush,
  findWaiting,
  markPushFailed,
  markSent,
  type PushedRows,
} from '../../records/kinds/pushed.queries.ts'
import { PULL_QUEUE } from '../queues.ts'
import type { Crm } from '../zoho/crm.ts'
import { CrmPartnerGone, CrmRefused, isOfCrm } from '../zoho/errors.ts'
import { givePushUp } from './give-up-push.ts'
import { nameDeleted } from './name-deleted.ts'
import { letNotesFollow } from './notes-follow.ts'
import { letOthersGo, waitForTry } from './one-tries-for-all.ts'
import { pushForPartner } from './push-for-partner.ts'
import { pushAlone, pushTogether } from './push-lease.ts'
import { NOT_REACHED, PUSH_RETRY } from './push-retry.ts'
import { noteRefused } from './refused-pushes.queries.ts'

interface Sending {
  partnerZohoId: string
  untilLeaseEnds: AbortSignal
  beforeSending: (loids: readonly string[]) => Promise<void>
}

/** How records of one kind are pushed. It covers every difference between pushing leads and pushing deals. */
interface PushedKind<On extends keyof PushedRows, Item extends NamedRecord, Stored extends RecordRow> {
  name: string
  on: On
  table: CrmTable<Item, Stored>
  pushOne(crm: Crm, row: PushedRows[On], sending: Sending): Promise<ArrivedRecord>
  pushMany(crm: Crm, rows: readonly PushedRows[On][], sending: Sending): Promise<Map<string, ArrivedRecord>>
  findSent(
    crm: Crm,
    sent: readonly (PushedRows[On] & { sent_at: string })[],
    untilLeaseEnds: AbortSignal,
  ): Promise<SentRecords>
  /** Up to which of the CRM's times the pushed record counts as read; null if a pull has yet to read it. */
  readUntil(crm: Crm, arrived: ArrivedRecord): string | null
}

/** Zoho accepts a hundred records in a call, but only fifty LOIDs in the query for existing records. */
const PUSHED_TOGETHER_MAX = 50

/**
 * A job that pushes a record to the CRM, and then other waiting records of its partner. The job looks for the LOID in
 * the CRM first, so that a repeated push neither creates a second record nor changes the existing record (D23).
 */
export function pushJobOf<On extends keyof PushedRows, Item extends NamedRecord, Stored extends RecordRow>(
  kind: PushedKind<On, Item, Stored>,
): Job<{ partnerId: string; loid: string }> {
  const { name, on, table } = kind
  const job: Job<{ partnerId: string; loid: string }> = defineJob({
    name,
    payload: z.object({ partnerId: z.string(), loid: z.string() }),
    retry: PUSH_RETRY,
    async run(deps, { partnerId, loid }, signal, jobId) {
      const { db, crm } = deps
      const find = () => findToPush(db, on, partnerId, loid)
      const found = await find()
      if (!found) return
      const refused = { partnerId, kind: on, record: loid }
      // A sync that a person starts is no job of the queue, and tries at once.
      if (jobId !== undefined && found.crm_problem === NOT_TAKEN) await waitForTry(deps, refused)
      const beforeSending = (loids: readonly string[]) => markSent(db, on, partnerId, loids, crm.now().toISOString())
      const partnerZohoId = await pushForPartner(deps, partnerId, {
        async push(id) {
          await pushAlone(db, { loid, signal }, find, async (row, untilLeaseEnds) => {
            const [toSend] = await withoutArrived([row], untilLeaseEnds)
            if (!toSend) return
            const pushed = kind.pushOne(crm, toSend, { partnerZohoId: id, untilLeaseEnds, beforeSending })
            await settle(
              [toSend],
              new Map([[loid, await clearingWhenRefused(pushed, () => clearSent(db, on, partnerId, loid))]]),
            )
          })
          return id
        },
        markFailed: (problem) => giveUp(deps, { partnerId, loid }, problem),
        async markNotTaken(cause) {
          await markNotTaken(db, { on, partnerId, loid })
          await noteRefused(db, refused, cause, deps.clock.now())
        },
        signal,
      })
      if (partnerZohoId !== undefined) await pushOthersToo(partnerZohoId)

      /**
       * Pushes other waiting records in one call, because many wait after an outage, and removes their jobs. If the call
       * fails, those jobs push each record separately.
       */
      async function pushOthersToo(id: string): Promise<void> {
        const findOthers = () => findWaiting(db, on, partnerId, PUSHED_TOGETHER_MAX)
        try {
          await pushTogether(db, signal, findOthers, async (waiting, untilLeaseEnds) => {
            const toSend = await withoutArrived(waiting, untilLeaseEnds)
            const pushed = await kind.pushMany(crm, toSend, { partnerZohoId: id, untilLeaseEnds, beforeSending })
            await settle(toSend, pushed)
            await deps.jobs.removeDone(db, job, partnerId, [...pushed.keys()])
            // The CRM refused the others.
            for (const one of toSend) if (!pushed.has(one.loid)) await clearSent(db, on, partnerId, one.loid)
          })
        } catch (error) {
          if (!isOfCrm(error)) throw error
          deps.log.warn({ err: error }, 'the waiting records were not pushed together')
        }
      }

      async function settle(
        rows: readonly PushedRows[On][],
        pushed: ReadonlyMap<string, ArrivedRecord>,
      ): Promise<void> {
        const arrived = Array.from(pushed, ([one, record]) => {
          return [one, { zoho_id: record.zoho_id, modified_time: kind.readUntil(crm, record) }] as const
        })
        await markPushed(db, on, partnerId, new Map(arrived))
        const taken = rows.filter((row) => row.crm_problem === NOT_TAKEN && pushed.has(row.loid))
        await letOthersGo(
          deps,
          partnerId,
          on,
          taken.map((row) => row.loid),
        )
        await letNotesFollow(deps, partnerId, [...pushed.keys()])
      }

      /** The records that no earlier push has brought to the CRM. */
      async function withoutArrived(
        rows: readonly PushedRows[On][],
        untilLeaseEnds: AbortSignal,
      ): Promise<PushedRows[On][]> {
        const sent = rows.flatMap((one) => (one.crm_sent_at === null ? [] : { ...one, sent_at: one.crm_sent_at }))
        const { there, deleted } = await kind.findSent(crm, sent, untilLeaseEnds)
        await markArrived(there)
        const gone = await nameDeleted(deps, table, deleted)
        return rows.filter((one) => !there.has(one.loid) && !gone.has(one.loid))
      }

      /**
       * Marks records as pushed if an earlier push sent them without getting an answer. Has them pulled, because staff
       * may have given them to other partners in the meantime.
       */
      async function markArrived(there: ReadonlyMap<string, string>): Promise<void> {
        if (there.size === 0) return
        await db.transaction().execute(async (tx) => {
          const arrived = Array.from(there, ([one, zoho_id]) => [one, { zoho_id, modified_time: null }] as const)
          await markPushed(tx, on, partnerId, new Map(arrived))
          await deps.jobs.enqueue(tx, PULL_QUEUE, { module: table.module, zohoIds: [...there.values()] })
        })
        await letNotesFollow(deps, partnerId, [...there.keys()])
      }
    },
    async giveUp(deps, payload) {
      if (await isNotTaken(deps.db, { on, ...payload })) await deps.jobs.enqueue(deps.db, job, payload)
      else await giveUp(deps, payload, NOT_REACHED)
    },
  })
  return job

  function giveUp(deps: Deps, { partnerId, loid }: { partnerId: string; loid: string }, problem: string) {
    const what = on === 'leads' ? 'lead' : 'deal'
    return givePushUp(deps, partnerId, what, (tx) => markPushFailed(tx, on, partnerId, loid, problem))
  }
}

/**
 * If the CRM refuses a record, or no longer has the partner that the record names, `clear` removes the mark which says
 * that the record was sent. Then the record's absence from the CRM is not treated as a deletion.
 */
async function clearingWhenRefused<Result>(push: Promise<Result>, clear: () => Promise<void>): Promise<Result> {
  try {
    return await push
  } catch (error) {
    if (error instanceof CrmRefused || error instanceof CrmPartnerGone) await clear()
    throw error
  }
}
