import type pg from 'pg'
import type { Product } from './product.ts'

export const PARTNERS = 200
export const LEADS = 100_000
export const DEALS = 20_000
const PASSWORD = 'a-password-for-the-bench'
/** How many partners sign in and send the requests that are measured. */
const SIGNED_IN = 16

export interface LoadedPartner {
  id: string
  businessName: string
  token: string
  /** The LOID of one of the partner's leads. */
  loid: string
  /**
   * The first two words of a business name, as a person would search for it. About seven of the partner's leads have
   * these words.
   */
  words: string
  newLead: ReturnType<typeof newLead>
}

/** Fills the database using SQL. The partners that make the calls sign up and sign in over HTTP. */
export async function loadData(product: Product): Promise<LoadedPartner[]> {
  const { url, pool } = product
  for (let i = 0; i < SIGNED_IN; i++) {
    await post(`${url}/api/auth/signup`, { email: email(i), password: PASSWORD, businessName: `Bench Partner ${i}` })
  }
  await pool.query(
    `with other as (
       insert into partners (id, business_name, created_at, modified_time, crm)
       select gen_random_uuid(), 'Other Partner ' || i, now(), now(), 'synced' from generate_series(1, $1) i
       returning id
     )
     insert into people (id, partner_id, email, password_hash, role, created_at, modified_time)
     select gen_random_uuid(), id, id || '@example.com', 'none', 'owner', now(), now() from other`,
    [PARTNERS - SIGNED_IN],
  )
  await insertLeads(pool)
  await insertDeals(pool)
  await pool.query('vacuum (analyze)')
  return signInPartners(product)
}

/** Signs in the partners that make the calls, in a database that was loaded before. */
export function signInPartners({ url, pool }: Product): Promise<LoadedPartner[]> {
  return Promise.all(
    Array.from({ length: SIGNED_IN }, async (_, i) => {
      const signedIn = await post(`${url}/api/auth/login`, { email: email(i), password: PASSWORD })
      const { token, partner } = signedIn as { token: string; partner: { id: string; businessName: string } }
      const { rows } = await pool.query<{ loid: string; business_name: string }>(
        'select loid, business_name from leads where partner_id = $1 order by created_at limit 1 offset 100',
        [partner.id],
      )
      const [lead] = rows
      if (!lead) throw new Error('a partner has no leads')
      const words = lead.business_name.toLowerCase().split(' ').slice(0, 2).join(' ')
      return { ...partner, token, loid: lead.loid, words, newLead: newLead(i) }
    }),
  )
}

/** Removes the leads that were created over HTTP and never pushed. They would make the searches of a later run slower. */
export async function removeCreated({ pool }: Product, leads: string): Promise<void> {
  await pool.query(`delete from ${leads} where crm = 'pending'`)
  await pool.query('select put_counts_together(id) from partners')
  await pool.query(`vacuum (analyze) ${leads}`)
}

function email(i: number): string {
  return `bench${i}@example.com`
}

async function insertLeads(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into leads (id, partner_id, loid, business_name, first_name, last_name, email, phone, state, loan_amount, loan_type,
                        loan_purpose, loan_term, sales_monthly, lead_status, lead_source, description, business_industry,
                        time_in_business, business_abn, partner_iso, created_at, modified_time, crm)
     select gen_random_uuid(), p.id, 'LO-' || lpad(upper(to_hex(i)), 8, '0'),
            (array['Acacia','Banksia','Coral','Driftwood','Eureka','Fremantle','Gibson','Harbour','Ironbark','Jarrah'])[1 + i / 200 % 10]
              || ' ' || (array['Freight','Bakery','Dental','Plumbing','Roofing','Wines','Motors'])[1 + i / 2000 % 7] || ' Pty Ltd',
            (array['Ava','Liam','Mia','Noah','Zoe'])[1 + i / 200 % 5], (array['Nguyen','Smith','Singh','Brown','Wilson','Taylor'])[1 + i % 6],
            'lead' || i || '@example.com', '+614' || lpad((91570000 + i % 9999)::text, 8, '0'), 'NSW', 5000 + i % 500 * 1000,
            (array['Term Loan','Line of Credit','Working Capital'])[1 + i % 3], 'Growth', '24 months', 20000 + i % 300 * 100,
            (array['New Lead','Contacted','Pre Qualified','Not Qualified','Attempting To Contact'])[1 + i % 5], 'Partner Portal',
            'A business that wants to grow', 'Construction', '2-5 years', '51824753556', 'AU',
            now() - i * interval '3 minutes', now() - i * interval '3 minutes', 'synced'
       from generate_series(1, $1) i
       join (select id, row_number() over (order by created_at, id) - 1 as n from partners) p on p.n = i % $2`,
    [LEADS, PARTNERS],
  )
}

async function insertDeals(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into deals (id, partner_id, loid, deal_name, business_name, contact_name, email, phone, amount, loan_type, stage,
                        lead_source, closing_date, probability, partner_iso, created_at, modified_time, crm)
     select gen_random_uuid(), partner_id, 'LO-D' || lpad(upper(to_hex(n)), 7, '0'),
            business_name || ' – ' || loan_type, business_name, first_name || ' ' || last_name, email, phone, loan_amount, loan_type,
            (array['Pending Approval','Approved','Funded','Closed','Information Received'])[1 + n % 5],
            lead_source, current_date, 50, partner_iso, created_at, modified_time, 'synced'
       from (select *, row_number() over (order by id) as n from leads) l
      order by n limit $1`,
    [DEALS],
  )
}

export function newLead(i: number) {
  return {
    firstName: 'Nkem',
    lastName: `Okafor ${i}`,
    email: `nkem${i}@example.com`,
    phone: '0491 570 156',
    businessName: 'Okafor Freight',
    loanAmount: 150_000,
    loanType: 'Term Loan',
    loanPurpose: 'A second truck',
    loanTerm: '36 months',
  }
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response.json()
}
