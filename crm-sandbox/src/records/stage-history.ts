import type { FastifyInstance } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'
import { DEAL_STAGES, displayValue } from '../settings/choices.ts'
import type { Actor } from '../settings/people.ts'
import { numberOrNull, type Row, text, textOrNull } from '../store.ts'
import { pageInfo, readFields, readPage } from '../wire/paging.ts'
import { daysBetween, showInstant } from '../wire/times.ts'
import type { JsonObject, Query } from '../wire/wire.ts'
import { requireModule, requireRecord } from './addresses.ts'
import { showUser } from './record-view.ts'
import type { CrmRecord } from './records-table.ts'

export type StageEntry = {
  id: string
  stage: string
  movedTo: string | null
  enteredTime: string
  leftTime: string | null
  amount: number | null
  probability: number | null
  expectedRevenue: number | null
  closingDate: string | null
  modifiedBy: string
}

/** Ends the row of the deal's former stage and begins a row for its present stage. */
export function recordStage(sandbox: Sandbox, deal: CrmRecord, actor: Actor, at: string) {
  const { store } = sandbox
  const stage = textValue(deal, 'Stage')
  if (stage === null) return
  store.run(
    'UPDATE stage_history SET moved_to = ?, left_time = ? WHERE deal_id = ? AND left_time IS NULL',
    stage,
    at,
    deal.id,
  )
  store.run(
    `INSERT INTO stage_history
       (id, deal_id, stage, entered_time, amount, probability, expected_revenue, closing_date, modified_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    store.nextId(),
    deal.id,
    stage,
    at,
    numberValue(deal, 'Amount'),
    numberValue(deal, 'Probability'),
    numberValue(deal, 'Expected_Revenue'),
    textValue(deal, 'Closing_Date'),
    actor.user.id,
  )
}

/** The stages of a deal, the newest first. */
export function findStages(sandbox: Sandbox, dealId: string, limit = 2_000, offset = 0): StageEntry[] {
  return sandbox.store
    .all('SELECT * FROM stage_history WHERE deal_id = ? ORDER BY id DESC LIMIT ? OFFSET ?', dealId, limit, offset)
    .map(fromRow)
}

export function stageHistoryRoutes(app: FastifyInstance, sandbox: Sandbox) {
  app.get<{ Params: { id: string }; Querystring: Query }>('/crm/v8/Deals/:id/Stage_History', (request, reply) => {
    const deal = requireRecord(sandbox, requireModule(sandbox, 'Deals'), request.params.id)
    const fields = readFields(request.query)
    const page = readPage(request.query)
    const entries = findStages(sandbox, deal.id, page.perPage + 1, page.offset)
    if (entries.length === 0) return reply.code(204).send()
    const shown = entries.slice(0, page.perPage).map((entry) => showEntry(sandbox, entry, fields))
    return { data: shown, info: pageInfo(page, shown.length, entries.length > page.perPage) }
  })
}

function showEntry(sandbox: Sandbox, entry: StageEntry, fields: string[]): JsonObject {
  const { recordsShow, stageHistoryTime, timesOffset } = sandbox.behaviour()
  const showStage = (actual: string) => (recordsShow === 'actual' ? actual : displayValue(DEAL_STAGES, actual))
  // If the switch is `exit`, this is the time at which the deal left the stage. The current stage has only an entry
  // time.
  const time = stageHistoryTime === 'entry' ? entry.enteredTime : (entry.leftTime ?? entry.enteredTime)
  const all: JsonObject = {
    Stage: showStage(entry.stage),
    Moved_To__s: entry.movedTo === null ? null : showStage(entry.movedTo),
    Stage_Duration_Calendar_Days: entry.leftTime === null ? null : daysBetween(entry.enteredTime, entry.leftTime),
    Amount: entry.amount,
    Probability: entry.probability,
    Expected_Revenue: entry.expectedRevenue,
    Closing_Date: entry.closingDate,
    Modified_Time: showInstant(time, timesOffset),
    Modified_By: showUser(entry.modifiedBy, false),
  }
  const shown: JsonObject = { id: entry.id }
  for (const name of fields) if (Object.hasOwn(all, name)) shown[name] = all[name]
  return shown
}

function fromRow(row: Row): StageEntry {
  return {
    id: text(row['id']),
    stage: text(row['stage']),
    movedTo: textOrNull(row['moved_to']),
    enteredTime: text(row['entered_time']),
    leftTime: textOrNull(row['left_time']),
    amount: numberOrNull(row['amount']),
    probability: numberOrNull(row['probability']),
    expectedRevenue: numberOrNull(row['expected_revenue']),
    closingDate: textOrNull(row['closing_date']),
    modifiedBy: text(row['modified_by']),
  }
}

function textValue(record: CrmRecord, field: string): string | null {
  const value = record.values[field]
  return typeof value === 'string' ? value : null
}

function numberValue(record: CrmRecord, field: string): number | null {
  const value = record.values[field]
  return typeof value === 'number' ? value : null
}
