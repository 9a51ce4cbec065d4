import type { LiveMessage } from '@portal/contract/live.ts'
import { expect, test } from 'vitest'
import { dealQuery, leadHistoryQuery, stageHistoryQuery } from '../features/deals/deals.queries.ts'
import { leadQuery, statusHistoryQuery } from '../features/leads/leads.queries.ts'
import { timelineQuery } from '../features/referral/referral.queries.ts'
import { staleQueries } from './stale-queries.ts'

const LOID = 'LO-7K3M9QAZ'

function makesStale(type: LiveMessage['type'], queryKey: readonly unknown[]): boolean {
  const keys = staleQueries({ type, kind: 'deal', loid: LOID, at: '2026-11-20T01:00:00.000Z' })
  return keys.some((key) => key.every((part, i) => part === queryKey[i]))
}

test.each([
  'deal.created',
  'deal.stage_changed',
  'deal.updated',
  'deal.removed',
  'deal.changed',
  'lead.converted',
] as const)('%s refreshes everything on the deal’s page', (type) => {
  for (const { queryKey } of [
    dealQuery(LOID),
    stageHistoryQuery(LOID),
    leadHistoryQuery(LOID),
    timelineQuery({ kind: 'deal', loid: LOID }),
  ]) {
    expect([queryKey, makesStale(type, queryKey)]).toEqual([queryKey, true])
  }
})

test.each(['lead.created', 'lead.status_changed', 'lead.converted', 'lead.removed', 'lead.changed'] as const)(
  '%s refreshes everything on the lead’s page',
  (type) => {
    for (const { queryKey } of [
      leadQuery(LOID),
      statusHistoryQuery(LOID),
      timelineQuery({ kind: 'lead', loid: LOID }),
    ]) {
      expect([queryKey, makesStale(type, queryKey)]).toEqual([queryKey, true])
    }
  },
)
