import { expect, test } from 'vitest'
import { insertHistories } from '../../testing/insert-histories.ts'
import { startPortal, type TestPortal } from '../../testing/start-portal.ts'
import { computeUsualTimes } from './compute-usual-times.job.ts'
import { findUsualTimes } from './usual-times.queries.ts'

/** These tests need no background jobs. */
const env = { ROLE: 'web' }

const DAY_MS = 86_400_000

async function compute(portal: TestPortal): Promise<void> {
  portal.advance(DAY_MS) // all partners are due
  await computeUsualTimes.run(portal.deps, {}, new AbortController().signal)
}

test('a partner with at least ten entries of a status gets its own median as the usual time', async () => {
  await using portal = await startPortal({ env })
  const { deps } = portal
  const [ten, nine] = [await portal.newPartner(), await portal.newPartner()]
  await insertHistories(deps, ten.id, { records: 6, days: 2.5 })
  await insertHistories(deps, ten.id, { records: 4, days: 20 })
  await insertHistories(deps, nine.id, { records: 9, days: 4 })
  await compute(portal)
  expect(await findUsualTimes(deps.reads, ten.id)).toEqual([
    { kind: 'lead-status', value: 'Pre Call', days: 2.5, entries: 10, of: 'partner' },
  ])
  expect(await findUsualTimes(deps.reads, nine.id)).toEqual([])

  await insertHistories(deps, nine.id, { records: 1, days: 4 })
  await compute(portal)
  expect(await findUsualTimes(deps.reads, nine.id)).toMatchObject([{ days: 4, entries: 10, of: 'partner' }])
})

test('a partner with fewer than ten entries of a status gets the median of all partners, if enough partners have enough entries', async () => {
  await using portal = await startPortal({ env })
  const { deps } = portal
  const partners = await Promise.all(Array.from({ length: 6 }, () => portal.newPartner()))
  const [asking, ...others] = partners.map((partner) => partner.id)
  for (const [index, id] of others.entries()) {
    await insertHistories(deps, id, { records: 9, days: index + 1, kind: 'deal-stage', value: 'Approved' })
    // There are enough entries, but most belong to one partner.
    await insertHistories(deps, id, { records: index < 1 ? 50 : 2, days: 1, value: 'Contacted' })
    // There are enough partners, but only 25 entries in all.
    await insertHistories(deps, id, { records: 5, days: 1, value: 'Not Contacted' })
  }
  await compute(portal)
  expect(await findUsualTimes(deps.reads, asking ?? '')).toEqual([
    { kind: 'deal-stage', value: 'Approved', days: 3, entries: 45, of: 'everybody' },
  ])
})

test('the time in a lead’s last status ends when the lead becomes a deal, and a current status is not counted', async () => {
  await using portal = await startPortal({ env })
  const { deps } = portal
  const partner = await portal.newPartner()
  for (let i = 0; i < 11; i++) await partner.submitLead()
  await deps.pool.query(
    `update leads set deal_loid = loid, converted_at = created_at + interval '3 days'
      where partner_id = $1 and loid <> (select min(loid) from leads where partner_id = $1)`,
    [partner.id],
  )
  await compute(portal)
  expect(await findUsualTimes(deps.reads, partner.id)).toEqual([
    { kind: 'lead-status', value: 'New Lead', days: 3, entries: 10, of: 'partner' },
  ])
})

test('entries older than a year, and entries that were removed, do not count', async () => {
  await using portal = await startPortal({ env })
  const { deps } = portal
  const partner = await portal.newPartner()
  await insertHistories(deps, partner.id, { records: 10, days: 5 })
  await insertHistories(deps, partner.id, { records: 10, days: 400, value: 'Contacted' })
  await compute(portal)
  expect(await findUsualTimes(deps.reads, partner.id)).toMatchObject([{ value: 'Pre Call' }])
  await deps.pool.query('delete from history_entries where partner_id = $1', [partner.id])
  await compute(portal)
  expect(await findUsualTimes(deps.reads, partner.id)).toEqual([])
})
