import { formatNumber } from '@portal/contract/numbers.ts'
import { Failure } from '../../api/failure.ts'
import { formatCount } from '../../format/count.ts'
import type { SyncResult } from './run-sync.ts'

/** For example `Sync complete: 3 created, 2 updated, 1 converted`. Also counts the records that could not be read. */
export function syncCompleteText(result: SyncResult): string {
  const parts = 'leads' in result ? [result.leads, result.deals] : [result]
  const sum = (pick: (part: (typeof parts)[number]) => number) => parts.reduce((total, part) => total + pick(part), 0)
  const matching = sum((part) => ('matching_leads_removed' in part ? part.matching_leads_removed : 0))
  const held = sum((part) => part.held ?? 0)
  const problems = problemCount(result)
  const changes = [
    counted(
      sum((part) => part.created),
      'created',
    ),
    counted(
      sum((part) => part.updated),
      'updated',
    ),
    counted(
      sum((part) => ('converted' in part ? part.converted : 0)),
      'converted',
    ),
    matching > 0 ? `${formatCount(matching, 'matching lead')} removed` : null,
    counted(
      sum((part) => part.removed),
      'removed',
    ),
    held > 0 ? `${formatCount(held, 'record')} not shown by the CRM and kept` : null,
    problems > 0 ? `${formatCount(problems, 'record')} could not be read` : null,
  ].filter((text) => text !== null)
  return `Sync complete: ${changes.join(', ') || 'everything is up to date'}`
}

export function problemCount(result: SyncResult): number {
  const parts = 'leads' in result ? [result.leads, result.deals] : [result]
  return parts.reduce((total, part) => total + part.problems.length, 0)
}

/** The texts that `call` uses if the server gave no text. Section 8 replaces them with 'Unknown error'. */
const NO_REASON = ['Lead sync failed', 'Deal sync failed', 'Sync failed']

export function syncFailureText(error: unknown): string {
  return `Sync failed: ${reason(error)}`
}

function reason(error: unknown): string {
  if (!(error instanceof Failure)) return 'Unknown error'
  if (error.status === 0) return 'Network error'
  return NO_REASON.includes(error.message) ? 'Unknown error' : error.message
}

function counted(count: number, what: string): string | null {
  return count > 0 ? `${formatNumber(count)} ${what}` : null
}
