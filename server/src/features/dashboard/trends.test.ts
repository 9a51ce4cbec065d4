import type { TrendPoint } from '@portal/contract/dashboard.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertDeal } from '../../testing/insert-deal.ts'
import { startPortal, type TestPartner, type TestPortal } from '../../testing/start-portal.ts'

/** These tests need no background jobs. */
const env = { ROLE: 'web' }

const DAY_MS = 86_400_000

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal({ env })
  // Sets the clock to half past one on a Sunday in Sydney, where daylight saving began on 4 October. In UTC it is still
  // Saturday.
  portal.advance(Date.parse('2026-11-21T14:30:00Z') - Date.now())
})
afterAll(() => portal[Symbol.asyncDispose]())

test('weeks begin on Monday in the portal’s time zone, the current week comes last, and empty weeks are listed', async () => {
  const partner = await portal.newPartner()
  await leadAt(partner, '2026-11-15T12:59:59Z') // Sunday, 23:59:59 in Sydney
  await leadAt(partner, '2026-11-15T13:00:00Z') // Monday, 00:00
  await leadAt(partner, '2026-11-21T14:00:00Z')
  // The last hour of a week that has only 167 hours.
  await leadAt(partner, '2026-10-04T12:00:00Z', { converted_at: '2026-11-16T00:00:00Z' })
  await leadAt(partner, '2026-08-30T13:59:59Z') // the last moment before the first week
  await leadAt(partner, '2026-08-30T14:00:00Z') // the first moment of the first week, before daylight saving
  await insertDeal(portal.deps.db, partner.id, { created_at: '2026-11-16T00:00:00Z', amount: 100_000.5 })
  await insertDeal(portal.deps.db, partner.id, { created_at: '2026-11-17T00:00:00Z', amount: null })

  const { status, body } = await partner.get('/dashboard/trends')
  expect(status).toBe(200)
  const points: TrendPoint[] = body.data.points
  expect(points.map(({ start }) => start)).toEqual([
    '2026-08-31',
    '2026-09-07',
    '2026-09-14',
    '2026-09-21',
    '2026-09-28',
    '2026-10-05',
    '2026-10-12',
    '2026-10-19',
    '2026-10-26',
    '2026-11-02',
    '2026-11-09',
    '2026-11-16',
  ])
  expect(points.map(({ leads }) => leads)).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2])
  expect(points.at(-1)).toEqual({ start: '2026-11-16', leads: 2, deals: 2, deal_value: 100_000.5, conversions: 1 })
  expect(points.at(1)).toEqual({ start: '2026-09-07', leads: 0, deals: 0, deal_value: 0, conversions: 0 })
})

test('the period can be a month instead of a week, and any other value is refused', async () => {
  const partner = await portal.newPartner()
  await leadAt(partner, '2026-10-31T13:30:00Z') // November in Sydney
  await leadAt(partner, '2025-12-01T00:00:00Z')
  await leadAt(partner, '2025-11-30T12:00:00Z') // the month before the first month in the list
  const { data } = (await partner.get('/dashboard/trends?period=month')).body
  const points: TrendPoint[] = data.points
  expect(data.period).toBe('month')
  expect(points).toHaveLength(12)
  expect([points.at(0)?.start, points.at(-1)?.start]).toEqual(['2025-12-01', '2026-11-01'])
  expect([points.at(0)?.leads, points.at(-1)?.leads, points.at(-2)?.leads]).toEqual([1, 1, 0])
  expect(await partner.get('/dashboard/trends?period=day')).toMatchObject({
    status: 400,
    body: { error: 'period must be week or month' },
  })
})

test('the last 30 days are compared with the 30 days before, and the conversion rate with the rate of 30 days ago', async () => {
  const partner = await portal.newPartner()
  await leadAt(partner, daysAgo(100))
  await leadAt(partner, daysAgo(70), { converted_at: daysAgo(40) })
  await leadAt(partner, daysAgo(59.9))
  await leadAt(partner, daysAgo(30.1), { converted_at: daysAgo(29) })
  await leadAt(partner, daysAgo(29.9))
  await leadAt(partner, daysAgo(2), { archived_at: daysAgo(1), archived_reason: 'left-crm' })
  await insertDeal(portal.deps.db, partner.id, { created_at: daysAgo(40), amount: 50_000 })
  await insertDeal(portal.deps.db, partner.id, { created_at: daysAgo(29), amount: 25_000 })
  await insertDeal(portal.deps.db, partner.id, { created_at: daysAgo(3), amount: null })
  expect((await partner.get('/dashboard/trends')).body.data.comparison).toEqual({
    leads: { current: 1, previous: 2 },
    deals: { current: 2, previous: 1 },
    deal_value: { current: 25_000, previous: 50_000 },
    conversion_rate: { current: 0.4, previous: 0.25 },
  })
})

test('a partner younger than 60 days gets no earlier figures, and never sees another partner’s figures', async () => {
  const [partner, other] = [await portal.newPartner(), await portal.newPartner()]
  await leadAt(other, daysAgo(45))
  await leadAt(partner, daysAgo(5))
  expect((await partner.get('/dashboard/trends')).body.data.comparison).toEqual({
    leads: { current: 1, previous: null },
    deals: { current: 0, previous: null },
    deal_value: { current: 0, previous: null },
    conversion_rate: { current: 0, previous: null },
  })
  const { db } = portal.deps
  await db
    .updateTable('partners')
    .set({ created_at: daysAgo(61) })
    .where('id', '=', partner.id)
    .execute()
  expect((await partner.get('/dashboard/trends')).body.data.comparison.leads).toEqual({ current: 1, previous: 0 })
})

function daysAgo(days: number): string {
  return new Date(portal.deps.clock.now().getTime() - days * DAY_MS).toISOString()
}

async function leadAt(
  partner: TestPartner,
  createdAt: string,
  changes: { converted_at?: string; archived_at?: string; archived_reason?: 'left-crm' } = {},
) {
  const { loid } = await partner.submitLead()
  const change = { ...changes, created_at: createdAt }
  await portal.deps.db.updateTable('leads').set(change).where('loid', '=', loid).execute()
}
