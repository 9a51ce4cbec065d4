import { isDeepStrictEqual } from 'node:util'
import { LEAD_RECORD } from '@portal/contract/lead-fields.ts'
import { typedValues } from '@portal/contract/record-fields.ts'
import { askAnOwner } from '@portal/contract/roles.ts'
import type { LeadSubmission } from '@portal/contract/submissions.ts'
import { changeLead, TOUCHED } from '../../crm/push/change-lead.job.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import type { Correction } from '../../platform/db/tables.ts'
import { Conflict, Forbidden, Invalid } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import { insertLeadChange, lockLead } from '../../records/leads/lead-changes.queries.ts'
import { getLead, type OpenedLead } from '../../records/leads/leads.queries.ts'
import { withUsualCountry } from '../accounts/usual-country.queries.ts'

/** Whether this person may correct or withdraw the lead: who submitted it, or an owner (D86). */
export function mayChange({ personId, role }: SessionCaller, lead: Pick<OpenedLead, 'submitter_id'>): boolean {
  return role === 'owner' || (role === 'member' && lead.submitter_id === personId)
}

/** Stores the correction with its job, in one transaction. Only what differs from the lead is changed. */
export async function askCorrection(
  deps: Deps,
  caller: SessionCaller,
  id: string,
  form: LeadSubmission,
): Promise<{ loid: string }> {
  return askChange(deps, caller, id, async (tx, lead) => {
    const typed = typedValues(LEAD_RECORD, await withUsualCountry(tx, caller.id, form))
    const changed = Object.entries(typed).filter(
      ([column, value]) => !isDeepStrictEqual(Reflect.get(lead, column), value),
    )
    if (changed.length === 0) throw new Invalid('VALIDATION', 'Nothing was changed')
    const corrected: Correction = Object.fromEntries(changed)
    return { kind: 'correct', corrected, reason: null }
  })
}

export function askWithdrawal(
  deps: Deps,
  caller: SessionCaller,
  id: string,
  reason: string | null,
): Promise<{ loid: string }> {
  return askChange(deps, caller, id, async () => ({ kind: 'withdraw', corrected: null, reason }))
}

interface Asked {
  kind: 'correct' | 'withdraw'
  corrected: Correction | null
  reason: string | null
}

async function askChange(
  deps: Deps,
  caller: SessionCaller,
  id: string,
  changeOf: (tx: Tx, lead: object) => Promise<Asked>,
): Promise<{ loid: string }> {
  const opened = await getLead(deps.reads, caller, id)
  const { loid } = opened
  if (!mayChange(caller, opened)) {
    throw new Forbidden(
      'NOT_ALLOWED',
      `Only the person who submitted the lead can do this. ${askAnOwner(caller.businessName)}`,
    )
  }
  if (!opened.is_untouched) throw new Conflict('CONFLICT', TOUCHED)
  return inTransaction(deps.db, async (tx) => {
    const lead = await lockLead(tx, caller.id, loid)
    const asked = await changeOf(tx, lead ?? {})
    const change = { ...asked, loid, partner_id: caller.id, person_id: caller.personId }
    if (!(await insertLeadChange(tx, { ...change, asked_at: deps.clock.now().toISOString() }))) {
      throw new Conflict('CONFLICT', 'Another change of this lead is on its way to the lender.')
    }
    await deps.jobs.enqueue(tx, changeLead, { partnerId: caller.id, loid })
    return { loid }
  })
}
