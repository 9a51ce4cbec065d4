import type { NewLead } from '@portal/contract/lead-form.ts'
import { reaches } from '@portal/contract/roles.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { PortalError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/authenticate.ts'
import { findDuplicateLeads } from '../../records/leads/leads.queries.ts'
import { admitNow } from '../accounts/admit-record.ts'
import { findSubmitter } from '../accounts/people.queries.ts'
import { submitLead } from '../leads/submit-lead.ts'
import {
  claimHash,
  findSubmission,
  lockWaitingRows,
  markRowLeftOut,
  markRowRefused,
  markRowSubmitted,
  type WaitingRow,
} from './submission.queries.ts'

type SubmitDeps = Pick<Deps, 'db' | 'reads' | 'clock' | 'jobs' | 'config' | 'agreement'>

/** One commit for so many rows makes an import three times as fast. */
const ROWS_A_TRANSACTION = 20

/** A rule refuses this row, so the others of its transaction have to be submitted without it. */
class RefusedRow extends Error {
  readonly row: WaitingRow
  readonly reason: string

  constructor(row: WaitingRow, cause: PortalError) {
    super(cause.message, { cause })
    this.row = row
    this.reason = cause.message
  }
}

/** Submits or leaves out the import's next chosen rows. Returns false if no row waits any longer. */
export async function submitNextRows(deps: SubmitDeps, partnerId: string, importId: string): Promise<boolean> {
  try {
    return await inTransaction(deps.db, async (tx) => {
      const rows = await lockWaitingRows(tx, partnerId, importId, ROWS_A_TRANSACTION)
      const submission = await findOpenSubmission(tx, partnerId, importId)
      for (const row of rows) {
        if (submission) await submitRow(deps, tx, submission, row)
        else await markRowRefused(tx, row, 'The person who submitted the file may not submit leads any more')
      }
      return rows.length > 0
    })
  } catch (error) {
    if (!(error instanceof RefusedRow)) throw error
    const { row, reason } = error
    await deps.db.transaction().execute((tx) => markRowRefused(tx, row, reason))
    return true
  }
}

interface OpenSubmission {
  caller: Caller
  withDuplicates: boolean
  consentVersion: string | null
}

/** Undefined if the person who submitted the file may not submit leads any more. */
async function findOpenSubmission(tx: Tx, partnerId: string, importId: string): Promise<OpenSubmission | undefined> {
  const submission = await findSubmission(tx, partnerId, importId)
  const person = submission?.person_id ? await findSubmitter(tx, submission.person_id) : undefined
  if (!submission || !person?.is_open || !reaches(person.role, 'member')) return undefined
  const { id, name, business_name: businessName } = person
  return {
    caller: { id: partnerId, businessName, submitter: { id, name } },
    withDuplicates: submission.with_duplicates,
    consentVersion: submission.consent_version,
  }
}

async function submitRow(deps: SubmitDeps, tx: Tx, submission: OpenSubmission, row: WaitingRow): Promise<void> {
  const { partner_id, lead } = row
  const { caller, withDuplicates, consentVersion } = submission
  if (!lead) throw new Error('a chosen row is a lead')
  const since = row.standing === 'ready' ? await findSince(deps, tx, partner_id, lead) : null
  if (since !== null && !withDuplicates) return markRowLeftOut(tx, row, since)
  await admitNow(tx, deps, partner_id).catch((error: unknown) => {
    throw error instanceof PortalError ? new RefusedRow(row, error) : error
  })
  const other = await claimHash(tx, row)
  if (other !== undefined) return markRowLeftOut(tx, row, `Another import has submitted this row as ${other}`)
  const { loid } = await submitLead(tx, deps, caller, { ...lead, consentVersion })
  await markRowSubmitted(tx, row, loid, since)
}

/** What the check could not know: a lead like this one that was submitted after it. */
async function findSince({ clock }: SubmitDeps, tx: Tx, partnerId: string, lead: NewLead): Promise<string | null> {
  const wanted = { email: lead.email, phones: [lead.phone], abn: lead.businessAbn }
  const [duplicate] = await findDuplicateLeads(tx, partnerId, wanted, clock.now())
  return duplicate ? `After the check, ${duplicate.loid} was submitted, which looks like this row` : null
}
