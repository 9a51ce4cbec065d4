import type { Import } from '@portal/contract/imports.ts'
import { IMPORT_ROWS_A_DAY } from '@portal/contract/limits.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import type { Deps } from '../../deps.ts'
import { Conflict, TooMany } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { admitNow } from '../accounts/admit-record.ts'
import { alreadySubmitted, getImport, lockWithRows } from './get-import.ts'
import {
  chooseRefusedRows,
  chooseRows,
  countOtherRowsSince,
  lockImportsOf,
  markSubmitting,
} from './submission.queries.ts'
import { submitImportRows } from './submit-import-rows.job.ts'

const DAY_MS = 86_400_000

interface Wanted {
  consentVersion: string
  withDuplicates: boolean
  rows: number
}

/**
 * Chooses the rows that are ready, and the job that submits them, in one transaction. Once the import is done, these are
 * the rows that were refused. The person who calls becomes the submitter of the leads.
 */
export function submitRows(
  { db, clock, jobs, config, agreement }: Pick<Deps, 'db' | 'clock' | 'jobs' | 'config' | 'agreement'>,
  partner: SessionCaller,
  importId: string,
  { consentVersion, withDuplicates, rows }: Wanted,
  security: NoteSecurity,
): Promise<Import> {
  const now = clock.now()
  return db.transaction().execute(async (tx) => {
    await admitNow(tx, { clock, config, agreement }, partner.id)
    // Two imports at once must not both be the last that the day allows.
    await lockImportsOf(tx, partner.id)
    const before = await lockWithRows(tx, partner.id, importId, now)
    if (before.state === 'submitting' || before.undo_asked_at !== null) throw alreadySubmitted()
    const chosen =
      before.state === 'done'
        ? await chooseRefusedRows(tx, partner.id, importId)
        : await chooseRows(tx, partner.id, importId, withDuplicates)
    if (chosen !== rows) {
      throw new Conflict(
        'CONFLICT',
        `${formatNumber(chosen)} rows are ready by now, not ${formatNumber(rows)}. Nothing was submitted.`,
      )
    }
    const aDayAgo = new Date(now.getTime() - DAY_MS).toISOString()
    const left = IMPORT_ROWS_A_DAY - (await countOtherRowsSince(tx, partner.id, importId, aDayAgo))
    if (config.rateLimits && (before.chosen ?? chosen) > left) {
      const text = `An account submits at most ${formatNumber(IMPORT_ROWS_A_DAY)} rows of files in 24 hours; ${formatNumber(left)} are left.`
      throw new TooMany(text, DAY_MS / 1_000)
    }
    const at = now.toISOString()
    await markSubmitting(tx, partner.id, importId, {
      person_id: partner.personId,
      chosen: before.chosen ?? chosen,
      with_duplicates: withDuplicates,
      consent_version: consentVersion,
      submitted_at: at,
    })
    await jobs.enqueue(tx, submitImportRows, { partnerId: partner.id, importId })
    await security(tx, 'import-submitted', { detail: `${chosen} rows` })
    return getImport(tx, partner, importId)
  })
}
