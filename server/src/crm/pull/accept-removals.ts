import type { Deps } from '../../deps.ts'
import type { CrmModule } from '../../records/crm-records.ts'
import { findHidden, findHiddenOfAllPartners, forgetHidden } from '../../records/kinds/hidden-records.queries.ts'
import { removeGone } from '../apply/remove-gone.ts'
import { findRowsOf } from './find-rows-of.ts'
import { pullForAll } from './pull-for-all.ts'
import { pullRecords } from './pull-records.ts'

const AT_ONCE = 100

/**
 * Removes the module's hidden records from their partners, as the operator has decided (D123). Looks for each once more,
 * and keeps those that the CRM shows again and those of partners whose own record is gone. Returns how many it removed.
 */
export async function acceptRemovals(deps: Deps, module: CrmModule, signal: AbortSignal): Promise<number> {
  const pull = pullForAll(deps, module === 'Leads' ? 'leads' : 'deals', signal)
  let removed = 0
  for (let after = ''; ; ) {
    const hidden = await findHiddenOfAllPartners(deps.db, module, { after, limit: AT_ONCE })
    const last = hidden.at(-1)
    if (last === undefined) return removed
    after = last
    const { heldPartnerIds } = await pullRecords(pull, module, hidden)
    const stillHidden = await findHidden(deps.db, module, hidden, [])
    const rows = (await findRowsOf(deps, module, [...stillHidden])).filter((row) => !heldPartnerIds.has(row.partner_id))
    const present = rows.filter((row) => row.archived_at === null)
    await removeGone(deps, module, present)
    await forgetHidden(
      deps.db,
      module,
      rows.flatMap((row) => row.zoho_id ?? []),
    )
    removed += present.length
  }
}
