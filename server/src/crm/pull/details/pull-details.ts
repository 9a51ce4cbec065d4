import type { Deps } from '../../../deps.ts'
import { CrmUnavailable } from '../../../platform/errors.ts'
import type { CrmHistoryEntry, CrmModule } from '../../../records/crm-records.ts'
import { DEAL_TABLE } from '../../../records/deals/deal-table.ts'
import { recordEvents } from '../../../records/events/events.ts'
import { findKnownHistories, writeHistories } from '../../../records/histories/history.queries.ts'
import { planHistory } from '../../../records/histories/plan-history.ts'
import { clearDue, type DueRecord, findDueOf, lockRowsOfAllPartners } from '../../../records/kinds/crm-rows.queries.ts'
import type { CrmTable, NamedRecord, RecordRow } from '../../../records/kinds/crm-table.ts'
import { LEAD_TABLE } from '../../../records/leads/lead-table.ts'
import { inPageTransaction } from '../../apply/in-page-transaction.ts'
import { asOpened } from '../../zoho/call-order.ts'
import type { Crm } from '../../zoho/crm.ts'
import type { Pull } from '../pull.ts'
import { pullNotesOf, writtenSinceSeen } from '../pull-notes.ts'
import { readDealHistories, readEach } from '../read-each.ts'

/** A person who opens a record waits at most this long for its details. A later read gets any missing details. */
const OPENED_MS_MAX = 2_000
/** For this long after the CRM has failed to give details, pages do not wait for the CRM. */
const PAUSE_MS = 30_000
const pausedUntil = new WeakMap<Crm, number>()
/** Half of the ten calls that Zoho permits at once. */
const CALLS_AT_ONCE = 5

/**
 * The reads under way for opened records. A page requests several parts of a record at once, and these requests share
 * one read.
 */
const pulling = new WeakMap<Crm, Map<string, Promise<void>>>()

/**
 * Reads the due details of a record that somebody opens (D56). Holds no lock or connection during the calls to the CRM.
 */
export async function pullDetailsOf(deps: Deps, module: CrmModule, partnerId: string, loid: string): Promise<void> {
  const records = pulling.get(deps.crm) ?? new Map<string, Promise<void>>()
  pulling.set(deps.crm, records)
  const record = `${module} ${partnerId} ${loid}`
  const joined = records.get(record) ?? pullDue(deps, module, partnerId, loid).finally(() => records.delete(record))
  records.set(record, joined)
  await joined
}

async function pullDue(deps: Deps, module: CrmModule, partnerId: string, loid: string): Promise<void> {
  const due = await findDueOf(deps.reads, module, partnerId, loid)
  const now = deps.clock.now().getTime()
  if (!due || now < (pausedUntil.get(deps.crm) ?? 0)) return
  try {
    const signal = AbortSignal.timeout(OPENED_MS_MAX)
    const untold = await asOpened(() => pullDetails({ deps, signal }, module, [due]))
    if (untold.length > 0) throw new CrmUnavailable('The CRM does not return the whole record at the moment.')
  } catch (error) {
    if (!(error instanceof CrmUnavailable)) throw error
    pausedUntil.set(deps.crm, now + PAUSE_MS)
    deps.log.info({ err: error, loid }, 'the CRM did not return the details of an opened record in time')
  }
}

/**
 * Reads the due histories and notes of these records of one module. Returns the records whose details the CRM did not
 * give.
 */
export async function pullDetails(
  pull: Pick<Pull, 'deps' | 'signal'>,
  module: CrmModule,
  due: readonly DueRecord[],
): Promise<DueRecord[]> {
  const asked = due.filter((record) => record.history_due)
  const told =
    module === 'Leads'
      ? await readEach(asked, CALLS_AT_ONCE, ({ zoho_id, value: lead_status }) =>
          pull.deps.crm.leadStatusHistory({ zoho_id, lead_status }, pull.signal),
        )
      : await readDealHistories(pull, asked, CALLS_AT_ONCE)
  const histories = asked.filter((record) => told.has(record.zoho_id))
  await (module === 'Leads'
    ? writeTold(pull, LEAD_TABLE, histories, told)
    : writeTold(pull, DEAL_TABLE, histories, told))
  const untoldNotes = await pullNotesOf(
    pull,
    due.filter((record) => record.notes_due),
    // Earlier pulls have left these notes due, because a read failed or there were too many records.
    writtenSinceSeen(pull.deps),
  )
  return [...asked.filter((record) => !told.has(record.zoho_id)), ...untoldNotes]
}

async function writeTold<Item extends NamedRecord, Row extends RecordRow>(
  { deps, signal }: Pick<Pull, 'deps' | 'signal'>,
  table: CrmTable<Item, Row>,
  due: readonly DueRecord[],
  told: ReadonlyMap<string, readonly CrmHistoryEntry[]>,
): Promise<void> {
  if (due.length === 0) return
  const now = deps.clock.now()
  const nameNow = await deps.crm.valueNames(table.module, signal)
  const partnerIds = due.map((record) => record.partner_id)
  await inPageTransaction(deps.db, partnerIds, async (tx) => {
    const readOf = new Map(due.map((record) => [record.zoho_id, record]))
    // Leaves out rows that another pull has changed since. That pull has read the history or left it due.
    const rows = (await lockRowsOfAllPartners(tx, table, due)).filter((row) => {
      return row.history_due && row.crm_modified_time === readOf.get(row.zoho_id ?? '')?.crm_modified_time
    })
    const known = await findKnownHistories(tx, table.historyKind, rows)
    const planned = rows.map((row) => {
      const value = nameNow(table.valueOf(row))
      const modified_time = row.crm_modified_time ?? row.modified_time
      const present = {
        value,
        modified_time,
        before: { value, modified_time: row.history_told_until ?? modified_time },
      }
      const named = (known.get(row.loid) ?? []).map((entry) => ({ ...entry, value: nameNow(entry.value) }))
      return { row, plan: planHistory(named, told.get(row.zoho_id ?? '') ?? [], present) }
    })
    const plans = planned.map(({ row: { partner_id, loid }, plan }) => ({ partner_id, loid, plan }))
    await writeHistories(tx, table.historyKind, plans, now)
    await recordEvents(
      tx,
      planned.flatMap(({ row, plan }) => plan.changes.map((change) => table.changed(row, change, now.toISOString()))),
    )
    await clearDue(
      tx,
      'history_due',
      rows.map((row) => ({ ...row, module: table.module })),
    )
  })
}
