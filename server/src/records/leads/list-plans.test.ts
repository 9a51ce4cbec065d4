import { DEAL_SORT_COLUMNS } from '@portal/contract/deals.ts'
import { LEAD_SORT_COLUMNS } from '@portal/contract/leads.ts'
import { expect, test } from 'vitest'
import { scansOfList } from '../../testing/list-scans.ts'
import { startPortal } from '../../testing/start-portal.ts'

const RECORDS = 3_000
/** A scan of so many rows is one of all that the partner has. */
const ALL = 2_700

const LEADS = '/api/dashboard/leads'
const DEALS = '/api/dashboard/deals'
const ORDERS = ['asc', 'desc']
const sorted = (path: string, columns: readonly string[]) =>
  columns.flatMap((sort) => ORDERS.map((order) => `${path}?sort=${sort}&order=${order}`))
const LISTS = [
  LEADS,
  ...sorted(LEADS, LEAD_SORT_COLUMNS),
  ...[
    'page=50',
    'status=Contacted',
    'status=Test Lead',
    'status=Contacted|New Lead',
    'status=Test Lead|Duplicate&dateFrom=2026-02-01&dateTo=2026-03-01',
    'source=referral',
    'source=nobody',
    'dateFrom=2026-02-01&dateTo=2026-03-01',
    'changedFrom=2026-03-01',
    'person=me',
    'verdict=Declined',
    'turn=partner',
    'turn=lender',
  ].map((query) => `${LEADS}?${query}`),
  DEALS,
  ...sorted(DEALS, DEAL_SORT_COLUMNS),
  ...[
    'stage=Approved',
    'stage=Approved|Closed',
    'minAmount=490000',
    'dateFrom=2026-02-01&dateTo=2026-03-01',
    'changedFrom=2026-03-01',
    'person=me',
    'turn=partner',
    'turn=lender',
  ].map((query) => `${DEALS}?${query}`),
  '/api/dashboard/usual-country',
]

test('neither a list in its own order, sorted, or with a filter nor the usual country reads all records of a partner', async () => {
  await using portal = await startPortal({ env: { ROLE: 'web' } })
  const [partner, other] = [await portal.newPartner(), await portal.newPartner()]
  const { pool } = portal.deps
  const { person_id } = (await partner.get('/profile')).body.data
  const submitter = `case when i % 4 = 0 then $4::uuid end`
  const common = `gen_random_uuid(), case when i % 2 = 0 then $1 else $2 end::uuid`
  const times = `'2026-01-01'::timestamptz + i * interval '20 minutes', '2026-01-01'::timestamptz + (i * 7919 % 6000) * interval '20 minutes', 'synced'`
  await pool.query(
    `insert into leads (id, partner_id, loid, business_name, lead_status, lead_source, loan_amount, partner_iso,
                        submitter_id, partner_verdict, created_at, modified_time, crm)
     select ${common}, 'LO-' || lpad(upper(to_hex(i)), 8, '0'), 'Business ' || i * 7919 % 6000,
            case when i % 1000 < 2 then 'Test Lead' when i % 1000 < 4 then 'Duplicate'
                 when i % 1000 < 8 then 'Unable to Contact'
                 else (array['New Lead', 'Contacted', 'Pre Call', 'Lost Lead'])[1 + i % 7 % 4] end,
            (array['web', 'referral', 'radio'])[1 + i % 3], nullif(i % 500, 0) * 1000, 'AU', ${submitter},
            case when i % 20 = 0 then 'Declined' end, ${times}
       from generate_series(1, $3::int) i`,
    [partner.id, other.id, 2 * RECORDS, person_id],
  )
  await pool.query(
    `insert into deals (id, partner_id, loid, deal_name, stage, amount, submitter_id, created_at, modified_time, crm)
     select ${common}, 'LO-' || lpad(upper(to_hex(i)), 8, '0'), 'Deal ' || i * 7919 % 6000,
            (array['Approved', 'Funded', 'Closed'])[1 + i % 3], nullif(i % 500, 0) * 1000, ${submitter}, ${times}
       from generate_series(1, $3::int) i`,
    [partner.id, other.id, 2 * RECORDS, person_id],
  )
  await pool.query('vacuum (analyze) leads, deals')
  const lister = { id: partner.id, businessName: partner.businessName, personId: person_id }
  const reading: string[] = []
  for (const list of LISTS) {
    const scans = await scansOfList(pool, lister, list)
    expect([list, scans?.length]).not.toEqual([list, 0])
    for (const { of, entries } of scans ?? []) if (entries >= ALL) reading.push(`${list} reads ${entries} of ${of}`)
  }
  expect(reading).toEqual([])
})
