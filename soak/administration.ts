import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../server/src/testing/random.ts'
import { type Crm, partnerOf, StaffRefused } from './crm.ts'
import { type Ledger, type Tracked, writeDown } from './ledger.ts'

/** What the lender's administrators do in Zoho, beside the work of its staff. */
export const ADMINISTRATION = ['merge', 'deletion', 'rights', 'mandatory', 'rule', 'workflow', 'suspension'] as const
type Administration = (typeof ADMINISTRATION)[number]

/** A push that looked in vain for its record has ended by then. */
const SECOND_LOOK_MS = 5_000

export interface Administered {
  /** Each partner's id in the CRM. A merge replaces it. */
  zohoIds: string[]
  ledger: Ledger
}

interface Work extends Administered {
  crm: Crm
  random: Random
  /** How long a state lasts. */
  ms: number
}

/** Plays one act. Whatever lasts ends with it. */
export async function administer(act: Administration, work: Work): Promise<void> {
  const { crm, random, ms } = work
  const number = random.below(work.zohoIds.length)
  const whileSet = async (switches: Record<string, unknown>) => {
    await crm.behaviour(switches)
    await sleep(ms)
    await crm.behaviour(Object.fromEntries(Object.keys(switches).map((name) => [name, null])))
  }
  switch (act) {
    case 'merge':
      return merge(work, number)
    case 'deletion':
      return deleteAndRestore(work, number)
    case 'rights':
      work.ledger.isHidden = true
      await whileSet({ apiUserSeesRecords: false })
      await sleep(SECOND_LOOK_MS)
      work.ledger.isHidden = false
      return
    case 'mandatory':
      return whileSet({ fieldsMandatory: ['Leads.Industry', 'Deals.Partner_ISO'] })
    case 'rule':
      return whileSet({ rulesRefuse: ['Leads.Loan_Amount', 'Deals.Amount'] })
    case 'workflow':
      return crm.runWorkflow('Leads', { Industry: random.pick(['Construction', 'Retail']) })
    case 'suspension':
      return suspend(work, number)
  }
}

async function suspend({ crm, zohoIds, ms }: Work, number: number): Promise<void> {
  const zohoId = zohoIds[number] ?? ''
  await crm.update('Partners', zohoId, { Portal_Access: 'Suspended', Portal_Access_Reason: 'Out of date' })
  await sleep(ms)
  await crm.update('Partners', zohoId, { Portal_Access: 'Active', Portal_Access_Reason: null })
}

/** Merges the partner's own record into a new one, as staff do who find the partner twice. */
async function merge({ crm, zohoIds, ledger }: Work, number: number): Promise<void> {
  const master = await crm.create('Partners', { Name: `Partner ${number}, the record that stays` })
  await crm.merge('Partners', master, zohoIds[number] ?? '', ['Email'])
  zohoIds[number] = master
  for (const record of ledger.records) if (record.partner === number) writeDown(record, `partner merged into ${master}`)
}

/** If the lookups do not come back with the partner's own record, staff enter the partner again. */
async function deleteAndRestore({ crm, zohoIds, ledger, ms }: Work, number: number): Promise<void> {
  const zohoId = zohoIds[number] ?? ''
  const named = new Set<string>()
  for (const module of MODULES) {
    for (const row of await crm.list(module, ['Partner'])) if (partnerOf(row) === zohoId) named.add(row.id)
  }
  await crm.remove('Partners', zohoId)
  await sleep(ms)
  await crm.restore(zohoId)
  for (const module of MODULES) {
    for (const row of await crm.list(module, ['LOID', 'Partner'])) {
      if (row['Partner'] !== null || !named.has(row.id)) continue
      const isRow = (one: Tracked) => one.module === module && (one.zohoId === row.id || one.loid === row['LOID'])
      const record = ledger.records.find(isRow)
      if (record?.partner !== number) continue
      try {
        await crm.update(module, row.id, { Partner: { id: zohoId } })
        record.isGiven = true
        writeDown(record, 'partner entered again')
      } catch (error) {
        if (!(error instanceof StaffRefused)) throw error
      }
    }
  }
}

const MODULES = ['Leads', 'Deals'] as const
