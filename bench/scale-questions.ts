import http from 'node:http'
import type pg from 'pg'
import { DEAL_SORT_COLUMNS } from '../contract/src/deals.ts'
import { LEAD_SORT_COLUMNS } from '../contract/src/leads.ts'
import type { Product } from './product.ts'
import { BIG_PARTNER, COMMON_WORD, FORMER_WORD, RARE_WORD } from './scale-data.ts'

/** A list with a filter and another order sorts what the filter finds, and may read one index of all the partner's rows. */
const SORTED_MS_MAX = 300
/** A person waits for this after the last letter, and the rest of the 100 ms is the network's and the browser's. */
const PALETTE_MS_MAX = 30
/** As many leads, and as many deals, as the palette asks for. */
const PALETTE_HITS = '6'
const FIRST_BYTE_MS_MAX = 200

/** A kind of call that the big partner makes, with the addresses to call in turn. */
export interface Question {
  name: string
  paths(sample: Sample): string[]
  /** The goal of its p99, if it is not that of most calls. */
  msMax?: number
  /** Whether only the time to the first byte counts. */
  isFirstByte?: boolean
}

const LEADS = '/api/dashboard/leads'
const DEALS = '/api/dashboard/deals'
const SEARCH = '/api/crm/search'
const FEW = 'Test Lead|Duplicate'
const MANY = 'New Lead|Contacted|Attempting To Contact|Pre Qualified|Not Qualified|Not Contacted|Pre Call'
/** Filters in pairs, and filters with another order. */
const LEADS_COMBINED: Record<string, string>[] = [
  { source: 'referral', sort: 'business_name' },
  { source: 'billboard', sort: 'loan_amount' },
  { status: 'Contacted', sort: 'loan_amount' },
  { status: FEW, sort: 'business_name' },
  { status: FEW, sort: 'loid', order: 'asc' },
  { person: 'me', sort: 'modified_time' },
  { person: 'me', status: 'Contacted' },
  { person: 'me', source: 'radio' },
  { verdict: 'Declined', sort: 'partner_iso' },
  { verdict: 'Declined', source: 'referral' },
  { verdict: 'Declined', person: 'me' },
]
const DEALS_COMBINED: Record<string, string>[] = [
  { stage: 'Approved', sort: 'deal_name' },
  { minAmount: '4000000', sort: 'loid' },
  { minAmount: '300000', stage: 'Funded' },
  { person: 'me', sort: 'amount' },
  { person: 'me', stage: 'Closed' },
]

export const QUESTIONS: Question[] = [
  ask('leads, first page', LEADS),
  ask('leads, page 50', LEADS, { page: '50' }),
  ask('leads, page 500 (empty in the smaller database)', LEADS, { page: '500' }),
  ask('leads, status', LEADS, { status: 'Contacted' }),
  ask('leads, a status that few have', LEADS, { status: 'Test Lead' }),
  ask('leads, source', LEADS, { source: 'referral' }),
  ask('leads, two sources', LEADS, { source: 'r' }),
  ask('leads, a source nobody has', LEADS, { source: 'billboard' }),
  ask('leads, status and source', LEADS, { status: 'Test Lead', source: 'radio' }),
  { name: 'leads, dates', paths: ({ month }) => [address(LEADS, month)] },
  {
    name: 'leads, dates, status and source',
    paths: ({ month }) => [address(LEADS, { ...month, status: 'Contacted', source: 'web' })],
  },
  ...(['asc', 'desc'] as const).flatMap((order) =>
    LEAD_SORT_COLUMNS.map((sort) => ask(`leads, sorted by ${sort}, ${order}`, LEADS, { sort, order })),
  ),
  ask('leads, two statuses', LEADS, { status: 'Contacted|Pre Call' }),
  ask('leads, two statuses that few have', LEADS, { status: 'Test Lead|Duplicate' }),
  { name: 'leads, two statuses and a date', paths: ({ month }) => [address(LEADS, { ...month, status: FEW })] },
  { name: 'leads, changed since', paths: ({ month }) => [address(LEADS, { changedFrom: month.dateFrom })] },
  {
    name: 'leads, two statuses, changed since',
    paths: ({ month }) => [address(LEADS, { changedFrom: month.dateFrom, status: FEW })],
  },
  {
    name: 'leads, most statuses, since a date',
    paths: ({ month }) => [address(LEADS, { status: MANY, dateFrom: month.dateFrom })],
  },
  {
    name: 'leads, changed lately, sorted',
    paths: ({ lately }) => [address(LEADS, { changedFrom: lately, sort: 'partner_iso' })],
    msMax: SORTED_MS_MAX,
  },
  ask('leads, mine', LEADS, { person: 'me' }),
  ask('leads, a verdict', LEADS, { verdict: 'Declined' }),
  ...LEADS_COMBINED.map((query) => combined('leads', LEADS, query)),
  {
    name: 'palette, the letters of a name',
    paths: ({ leads }) =>
      leads.map((lead) => address(SEARCH, { q: lead.business_name.slice(0, 4), limit: PALETTE_HITS })),
    msMax: PALETTE_MS_MAX,
  },
  {
    name: 'palette, a LOID',
    paths: ({ leads }) => leads.map((lead) => address(SEARCH, { q: lead.loid, limit: PALETTE_HITS })),
    msMax: PALETTE_MS_MAX,
  },
  {
    ...ask('export, first byte', `${LEADS}/export`, { status: 'Test Lead' }),
    msMax: FIRST_BYTE_MS_MAX,
    isFirstByte: true,
  },
  ...searches('leads list', LEADS, 'search'),
  ...searches('search', SEARCH, 'q'),
  ask('stats', '/api/dashboard/stats'),
  ask('pipeline', '/api/dashboard/pipeline'),
  ask('trends by week', '/api/dashboard/trends', { period: 'week' }),
  ask('trends by month', '/api/dashboard/trends', { period: 'month' }),
  ask('recent activity', '/api/dashboard/recent-activity'),
  { name: 'a lead’s detail', paths: ({ leads }) => leads.map(({ loid }) => `/api/crm/lead/${loid}`) },
  { name: 'a lead’s history', paths: ({ leads }) => leads.map(({ loid }) => `/api/crm/lead/${loid}/status-history`) },
  {
    name: 'whether a lead was submitted before',
    paths: ({ leads }) => leads.map(({ email, phone }) => address(`${LEADS}/duplicates`, { email, phone })),
  },
  ask('deals, first page', DEALS),
  ask('deals, page 5', DEALS, { page: '5' }),
  ask('deals, stage', DEALS, { stage: 'Approved' }),
  ask('deals, two stages', DEALS, { stage: 'Approved|Closed' }),
  {
    name: 'deals, two stages and a date',
    paths: ({ month }) => [address(DEALS, { ...month, stage: 'Approved|Closed' })],
  },
  ask('deals, a minimum amount', DEALS, { minAmount: '300000' }),
  ask('deals, a minimum amount that few reach', DEALS, { minAmount: '4000000' }),
  ask('deals, mine', DEALS, { person: 'me' }),
  { name: 'deals, dates', paths: ({ month }) => [address(DEALS, month)] },
  ...(['asc', 'desc'] as const).flatMap((order) =>
    DEAL_SORT_COLUMNS.map((sort) => ask(`deals, sorted by ${sort}, ${order}`, DEALS, { sort, order })),
  ),
  { name: 'deals, changed since', paths: ({ month }) => [address(DEALS, { changedFrom: month.dateFrom })] },
  ...DEALS_COMBINED.map((query) => combined('deals', DEALS, query)),
  ask('deals list, a common word', DEALS, { search: COMMON_WORD }),
  ask('deals list, a word nobody has', DEALS, { search: 'xylophonist' }),
]

function searches(where: string, path: string, parameter: string): Question[] {
  const ofLeads = (name: string, text: (lead: SampleLead) => string): Question => ({
    name: `${where}, ${name}`,
    paths: ({ leads }) => leads.map((lead) => address(path, { [parameter]: text(lead) })),
  })
  const of = (name: string, text: string) => ask(`${where}, ${name}`, path, { [parameter]: text })
  return [
    of('a common word', COMMON_WORD),
    of('a rare word', RARE_WORD),
    of('a word nobody has', 'xylophonist'),
    of('a word of former years', FORMER_WORD),
    of('one letter', 'a'),
    of('two letters', 'er'),
    of('two letters that nobody has', 'xl'),
    of('two words', `${COMMON_WORD} freight`),
    ofLeads('a business and a surname', (lead) => `${lead.business_name.split(' ')[0]} ${lead.last_name}`),
    ofLeads('a phone number', (lead) => lead.phone.replace('+61', '0')),
    ofLeads('four digits', (lead) => lead.phone.slice(-4)),
    ofLeads('an email', (lead) => lead.email),
    ofLeads('a LOID', (lead) => lead.loid),
  ]
}

function combined(list: string, path: string, query: Record<string, string>): Question {
  const name = `${list}, ${Object.entries(query)
    .map((pair) => pair.join(' '))
    .join(', ')}`
  return { ...ask(name, path, query), msMax: SORTED_MS_MAX }
}

function ask(name: string, path: string, query: Record<string, string> = {}): Question {
  return { name, paths: () => [address(path, query)] }
}

function address(path: string, query: Record<string, string>): string {
  return `${path}?${new URLSearchParams(query)}`
}

interface SampleLead {
  loid: string
  business_name: string
  last_name: string
  email: string
  phone: string
}

interface Sample {
  /** Leads from all years. */
  leads: SampleLead[]
  /** A month in the middle of these years. */
  month: { dateFrom: string; dateTo: string }
  /** A day in the last of these weeks. */
  lately: string
}

export interface BigPartner {
  url: string
  sample: Sample
  token: string
  /** Returns how long the answer took, in milliseconds. */
  get(path: string, isFirstByte?: boolean): Promise<number>
}

/** Signs in the big partner, which then asks over one connection. */
export async function signIn({ url, pool }: Product): Promise<BigPartner> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(BIG_PARTNER),
  })
  if (!response.ok) throw new Error(`signing in: ${response.status}`)
  const { token } = (await response.json()) as { token: string }
  // Keeps one connection, because otherwise the time to open a connection would be measured with each request.
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: `Bearer ${token}` }
  return {
    url,
    sample: await readSample(pool),
    token,
    get: (path, isFirstByte) => get(`${url}${path}`, { agent, headers }, isFirstByte),
  }
}

function get(url: string, options: http.RequestOptions, isFirstByte = false): Promise<number> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const request = http.get(url, options, (response) => {
      let firstByteMs = 0
      response.once('data', () => (firstByteMs = performance.now() - startedAt))
      response.once('end', () => {
        if (response.statusCode === 200) resolve(isFirstByte ? firstByteMs : performance.now() - startedAt)
        else reject(new Error(`${url} answered ${response.statusCode}`))
      })
    })
    request.once('error', reject)
  })
}

async function readSample(pool: pg.Pool): Promise<Sample> {
  const { rows: leads } = await pool.query<SampleLead>(
    `select loid, business_name, last_name, email, phone
       from leads
      where partner_id = (select partner_id from people where email = $1) and converted_at is null and archived_at is null
      order by loid limit 20`,
    [BIG_PARTNER.email],
  )
  const { rows: days } = await pool.query<Sample['month'] & Pick<Sample, 'lately'>>(
    `select (max(created_at) - interval '19 months')::date as "dateFrom", (max(created_at) - interval '18 months')::date as "dateTo",
            (max(created_at) - interval '20 days')::date as lately
       from leads`,
  )
  const [day] = days
  if (!day) throw new Error('no leads')
  const { lately, ...month } = day
  return { leads, month, lately }
}
