import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noteFieldGroups } from '../../crm/pull/fields/optional-values.ts'
import { runSweep } from '../../crm/pull/sweep/sweep.job.ts'
import { openLender } from '../../testing/lender.ts'
import { startPortal, type TestPartner } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

const RUNS = 12
const CHANGES_MAX = 8

const Amount = fc.option(
  fc.integer({ min: -99_999_999_999, max: 99_999_999_999 }).map((cents) => cents / 100),
  { freq: 5 },
)
const Commission = fc.record({
  Partner_Commission: Amount,
  Commission_Status: fc.option(fc.constantFrom('Expected', 'Payable', 'Paid', 'Cancelled')),
  Commission_Paid_On: fc.option(fc.constantFrom('2026-01-31', '2026-02-01', '2026-02-28', '2031-12-31')),
})
/** What staff do: to a deal (by its place among all deals), or a new deal for one of two partners. */
const Change = fc.oneof(
  fc.record({ does: fc.constant('make' as const), partner: fc.nat(1), fields: Commission }),
  fc.record({ does: fc.constant('convert' as const), partner: fc.nat(1), fields: Commission }),
  fc.record({ does: fc.constant('change' as const), deal: fc.nat(), fields: Commission }),
  fc.record({ does: fc.constant('move' as const), deal: fc.nat(), partner: fc.nat(1) }),
  fc.record({ does: fc.constant('delete' as const), deal: fc.nat() }),
)

const cents = (amount: unknown) => (typeof amount === 'number' ? Math.round(amount * 100) : 0)
const total = (amounts: readonly unknown[]) => amounts.reduce<number>((sum, amount) => sum + cents(amount), 0)

test('whatever staff do, the sums of the rows, of the months, of the statuses, of the file and of the CRM are one', async () => {
  await using portal = await startPortal({ withCrm: true })
  const lender = openLender(portal.crmUrl)
  await portal.deps.crm.makeMissingFields(['payments'])
  await noteFieldGroups(portal.deps)
  const partners = await Promise.all(
    [1, 2].map(async () => {
      const partner = await portal.newPartner()
      const id: string = await waitFor('the partner in the CRM', async () => {
        return (await partner.get('/profile')).body.data.zoho_id
      })
      return { partner, id }
    }),
  )
  const ofPartner = (index: number) => ({ Partner: { id: partners[index]?.id } })
  const dealIds: string[] = []
  let rowsSeen = 0

  async function play(change: typeof Change extends fc.Arbitrary<infer One> ? One : never): Promise<void> {
    if (change.does === 'make') {
      const deal = { Deal_Name: 'Van', Stage: 'Funded', ...ofPartner(change.partner), ...change.fields }
      dealIds.push(await lender.create('Deals', deal))
      return
    }
    if (change.does === 'convert') {
      const lead = { Company: 'Oven', Last_Name: 'Rivera', Lead_Status: 'Contacted', ...ofPartner(change.partner) }
      const leadId = await lender.create('Leads', lead)
      const id = await lender.convert(leadId, { Deal_Name: 'Oven', Stage: 'Approved' })
      dealIds.push(id)
      await lender.update('Deals', id, { ...change.fields, ...ofPartner(change.partner) })
      return
    }
    const id = dealIds[change.deal % dealIds.length]
    if (id === undefined) return
    if (change.does === 'change') return lender.update('Deals', id, change.fields)
    if (change.does === 'move') return lender.update('Deals', id, ofPartner(change.partner))
    dealIds.splice(dealIds.indexOf(id), 1)
    return lender.remove('Deals', id)
  }

  async function sumsOf({ partner, id }: { partner: TestPartner; id: string }) {
    const payments: { amount: number | null }[] = []
    const months = new Map<string | null, number>()
    let sums: { by_status: { sum: number }[] } = { by_status: [] }
    for (let page = 1, hasMore = true; hasMore; page++) {
      const { body } = await partner.get(`/payments?limit=5&page=${page}`)
      payments.push(...body.data.payments)
      for (const { month, sum } of body.data.months) months.set(month, sum)
      sums = body.data.sums
      hasMore = body.pagination.has_more
    }
    rowsSeen += payments.length
    const headers = { authorization: `Bearer ${partner.token}` }
    const file = await (await fetch(`${portal.url}/api/payments/export`, { headers })).text()
    const inCrm = (await lender.list('Deals', 'Partner,Partner_Commission')).filter(
      ({ Partner }) => Object(Partner).id === id,
    )
    return {
      rows: total(payments.map(({ amount }) => amount)),
      months: total([...months.values()]),
      statuses: total(sums.by_status.map(({ sum }) => sum)),
      file: total(
        file
          .split('\r\n')
          .slice(1, -1)
          .map((line) => Number(line.split(',')[3])),
      ),
      crm: total(inCrm.map((deal) => deal['Partner_Commission'])),
    }
  }

  await fc.assert(
    fc.asyncProperty(fc.array(Change, { minLength: 1, maxLength: CHANGES_MAX }), async (changes) => {
      for (const change of changes) await play(change)
      portal.advance(60_000)
      await runSweep(portal.deps, AbortSignal.timeout(30_000))
      for (const one of partners) {
        const sums = await sumsOf(one)
        expect(sums).toEqual({ rows: sums.crm, months: sums.crm, statuses: sums.crm, file: sums.crm, crm: sums.crm })
      }
    }),
    { numRuns: RUNS },
  )
  console.log(`Payments: ${RUNS} rounds of changes by staff, ${rowsSeen} rows added up in five ways`)
  expect(rowsSeen).toBeGreaterThan(0)
})
