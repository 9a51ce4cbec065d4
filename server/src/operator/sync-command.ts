import { FullSyncResult } from '@portal/contract/sync.ts'
import { startSync, waitForRun } from '../crm/pull/run/start-sync.ts'
import type { Deps } from '../deps.ts'
import type { SyncRunRow } from '../platform/db/tables.ts'
import { type Command, noPositional, onlyPositional } from './command.ts'
import { getPartnerByName } from './find-named.ts'
import { findActiveOfAllPartners } from './partners.queries.ts'
import type { Workplace } from './workplace.ts'

const LOOK_EVERY_MS = 1_000

export const syncPartners: Command = {
  name: 'sync',
  parameters: '<email or id> | --all',
  summary: 'Updates the leads and deals of one partner, or of every active partner, from the CRM.',
  options: { all: { type: 'boolean' } },
  async run(given, workplace) {
    const isForAll = given.values['all'] === true
    const name = isForAll ? noPositional(syncPartners, given) : onlyPositional(syncPartners, given)
    // If no portal runs, this process runs the sync. If a portal runs, the quicker of the two processes runs the sync.
    const { deps } = await workplace.workingParts()
    const partners =
      name === undefined ? await findActiveOfAllPartners(deps.db) : [await getPartnerByName(deps.db, name)]
    let failed = 0
    for (const [i, partner] of partners.entries()) {
      workplace.say(`${partner.business_name} (${i + 1} of ${partners.length})`)
      if (!(await syncOne(deps, partner.id, workplace.say))) failed++
    }
    workplace.say(`${partners.length - failed} synced, ${failed} failed`)
    return failed === 0 ? 0 : 1
  },
}

async function syncOne(deps: Deps, partnerId: string, say: Workplace['say']): Promise<boolean> {
  const runId = await startSync(deps, partnerId, 'all')
  let said = ''
  for (;;) {
    const run = await waitForRun(deps, partnerId, runId, LOOK_EVERY_MS)
    const line = describe(run)
    if (line !== said) say(`  ${line}`)
    said = line
    if (run.status !== 'running') return run.status === 'succeeded'
  }
}

function describe(run: SyncRunRow): string {
  if (run.status === 'running')
    return [run.phase ?? 'Waiting', run.total > 0 && `${run.done}/${run.total}`].filter(Boolean).join(' ')
  if (run.status === 'failed') return `failed: ${run.error}`
  const { leads, deals } = FullSyncResult.parse(run.result)
  const problems = leads.problems.length + deals.problems.length
  return [
    `leads ${leads.total_zoho_leads}: ${leads.created} created, ${leads.updated} updated, ${leads.converted} converted, ${leads.removed} removed`,
    `deals ${deals.total_zoho_deals}: ${deals.created} created, ${deals.updated} updated, ${deals.removed} removed`,
    ...(problems > 0 ? [`records that could not be read: ${problems}`] : []),
  ].join('; ')
}
