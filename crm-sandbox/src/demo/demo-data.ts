import { randomNumbers } from '../random-numbers.ts'
import { convertLead } from '../records/convert.ts'
import { changeRecord, createRecord, type Written } from '../records/record-changes.ts'
import { type CrmRecord, countRecords, findRecord, type Values } from '../records/records-table.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { actualValue, DEAL_STAGES, LEAD_STATUSES } from '../settings/choices.ts'
import type { ModuleName } from '../settings/modules.ts'
import { type Actor, API_USER, COLLEAGUE, STAFF_USER } from '../settings/people.ts'
import { localDay, storedInstant } from '../wire/times.ts'
import { DEMO_LEADS, type DemoLead } from './demo-leads.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const LOID_LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const PORTAL: Actor = { user: API_USER, source: 'crm_api' }
const MAYA: Actor = { user: STAFF_USER, source: 'crm_ui' }
const CALLUM: Actor = { user: COLLEAGUE, source: 'crm_ui' }

/** How the demo's lender treats a referral: the statuses of the lead, the stages of its deal, and a note at the end. */
type Path = { statuses: string[]; stages?: string[]; note?: string }

const CALLED = ['New Lead', 'Pre Call', 'Contacted']
const TRIED = ['New Lead', 'Attempting To Contact', 'Contacted']
const APPLIED = ['Waiting On Application', 'Information Received']
const FUNDED = [...APPLIED, 'Pending Approval', 'Approved', 'Funded']

/** The referrals that have ended before the story of the last three weeks begins, in turn. */
const ENDED: readonly Path[] = [
  { statuses: [...CALLED, 'Pre Qualified'], stages: FUNDED, note: 'Settled. Thank you for the referral!' },
  { statuses: [...TRIED, 'Lost Lead'], note: 'Went with their own bank.' },
  { statuses: [...CALLED, 'Pre Qualified'], stages: FUNDED, note: 'Funds released this morning.' },
  { statuses: [...CALLED, 'Not Qualified'], note: 'Trading for four months only; we need twelve.' },
  {
    statuses: [...TRIED, 'Pre Qualified'],
    stages: [...APPLIED, 'Thrown To Kestrel Capital'],
    note: 'Better suited to Kestrel’s low-doc product.',
  },
  { statuses: ['New Lead', 'Duplicate'] },
  { statuses: [...CALLED, 'Pre Qualified'], stages: FUNDED, note: 'Funded in full, second drawdown in March.' },
  { statuses: [...TRIED, 'Lost Lead'], note: 'Decided to wait for the next financial year.' },
  {
    statuses: [...CALLED, 'Pre Qualified'],
    stages: [...APPLIED, 'Pending Approval', 'Approved', 'Closed'],
    note: 'Settled and filed.',
  },
  { statuses: ['New Lead', 'Junk Lead'] },
  { statuses: [...TRIED, 'Not Qualified'], note: 'The equipment is more than ten years old.' },
  { statuses: [...CALLED, 'Pre Qualified', 'Lost Lead'], note: 'Sold the business before the application.' },
]

/** The referrals that are under way when the story begins. The story continues them. */
const UNDER_WAY: ReadonlyMap<string, Path> = new Map([
  [
    'Bayside Commercial Kitchens',
    { statuses: [...CALLED, 'Pre Qualified'], stages: [...APPLIED, 'Pending Approval', 'Approved'] },
  ],
  ['Torquay Surf Co', { statuses: [...TRIED, 'Pre Qualified'], stages: APPLIED }],
  ['Aurora Vet Clinic', { statuses: [...CALLED, 'Pre Qualified'], stages: ['Waiting On Application'] }],
  ['Redgum Timber Yard', { statuses: CALLED }],
  ['Metro Courier Partners', { statuses: TRIED }],
  ['Pōhutukawa Cafe Group', { statuses: [...CALLED, 'Pre Qualified'] }],
  ['Clearview Glass & Glazing', { statuses: ['New Lead', 'Pre Call'] }],
  ['Stonefruit Orchards', { statuses: ['New Lead', 'Attempting To Contact'] }],
  ['Bluestone Data Centres', { statuses: [...TRIED, 'Pre Qualified'] }],
  ['Gumnut Toys', { statuses: ['New Lead', 'Not Contacted'] }],
])

/** The story, which the portal plays (server/src/process/demo/story.ts), begins after this. */
const ENDS_DAYS_AGO = 22

export function isEmpty(sandbox: Sandbox): boolean {
  return countRecords(sandbox.store, '', []) === 0
}

/**
 * Adds one partner with ninety days of leads and deals, which end three weeks ago. They are the same on every run, except
 * for their dates.
 */
export function fillDemoData(sandbox: Sandbox) {
  sandbox.store.transaction(() => {
    const random = randomNumbers(20_260_301)
    const end = sandbox.now() - ENDS_DAYS_AGO * DAY_MS
    const partner = add(sandbox, 'Partners', PORTAL, workingTime(sandbox, end - 96 * DAY_MS), {
      Name: 'Harbour Finance Brokers',
      Email: 'demo@harbourfinance.example',
      First_Name: 'Mia',
      Last_Name: 'Harbour',
      Phone: '+61255501000',
    })
    const last = DEMO_LEADS.length - 1
    for (const [index, lead] of DEMO_LEADS.entries()) {
      const path = UNDER_WAY.get(lead.company) ?? ENDED[index % ENDED.length] ?? { statuses: ['New Lead'] }
      // From ninety days to three days before the end, denser towards the end.
      const days = 3 + 87 * (1 - index / last) ** 1.25
      const submitted = end - days * DAY_MS - Math.floor(random() * 7_200_000)
      const values = leadValues(lead, partner.id, loid(random), random)
      const record = add(sandbox, 'Leads', PORTAL, workingTime(sandbox, submitted), values)
      live(sandbox, { record, lead, path, submitted, end, actor: index % 3 === 0 ? CALLUM : MAYA })
    }
  })
}

type Life = { record: CrmRecord; lead: DemoLead; path: Path; submitted: number; end: number; actor: Actor }

/** Spreads the steps of a referral evenly between its submission and the end, at most two and a half days apart. */
function live(sandbox: Sandbox, { record, lead, path, submitted, end, actor }: Life) {
  const { statuses, stages = [], note: text } = path
  const steps = statuses.length - 1 + stages.length
  const stepMs = Math.min(2.5 * DAY_MS, (end - submitted) / (steps + 1))
  let at = submitted
  for (const status of statuses.slice(1)) {
    at += stepMs
    change(sandbox, record, actor, workingTime(sandbox, at), { Lead_Status: actualValue(LEAD_STATUSES, status) })
  }
  let parent = record
  const [first, ...later] = stages
  if (first) {
    at += stepMs
    parent = convert(sandbox, { record, lead, first, submitted, at, actor })
  }
  for (const stage of later) {
    at += stepMs
    change(sandbox, parent, actor, workingTime(sandbox, at), { Stage: actualValue(DEAL_STAGES, stage) })
  }
  if (text) note(sandbox, parent, actor, at + stepMs * 0.3, 'Partner update', text)
}

function convert(
  sandbox: Sandbox,
  {
    record,
    lead,
    first,
    submitted,
    at,
    actor,
  }: Pick<Life, 'record' | 'lead' | 'submitted' | 'actor'> & { first: string; at: number },
): CrmRecord {
  const result = convertLead(
    sandbox,
    findRecord(sandbox.store, 'Leads', record.id) ?? record,
    {
      deal: {
        Deal_Name: `${lead.company} – ${lead.loanType}`,
        Stage: actualValue(DEAL_STAGES, first),
        Closing_Date: localDay(submitted + 45 * DAY_MS, sandbox.behaviour().timesOffset),
        Pipeline: 'Standard (Standard)',
      },
      at: workingTime(sandbox, at),
    },
    actor,
  )
  if ('failure' in result || !result.deal) throw new Error('a demo lead could not be converted')
  return result.deal
}

function leadValues(lead: DemoLead, partnerId: string, loidText: string, random: () => number): Values {
  const ownsProperty = random() < 0.4
  return {
    Company: lead.company,
    First_Name: lead.firstName,
    Last_Name: lead.lastName,
    Email: `${lead.firstName.toLowerCase()}@${lead.domain}`,
    Phone: lead.phone,
    State: lead.state,
    Lead_Status: 'New Lead',
    Lead_Source: 'Partner Portal',
    Industry: lead.industry,
    Description: null,
    LOID: loidText,
    Partner: partnerId,
    Partner_ISO: lead.iso,
    Loan_Amount: lead.amount,
    Loan_Type: lead.loanType,
    Loan_Purpose: lead.purpose,
    Loan_Term: lead.term,
    Sales_Monthly: Math.round((lead.amount * (0.3 + random())) / 1_000) * 1_000,
    Time_in_Business: ['1-2 years', '2-5 years', '5-10 years', '10+ years'][Math.floor(random() * 4)] ?? null,
    Owns_Property: ownsProperty,
    Property_Value: ownsProperty ? 600_000 + Math.floor(random() * 20) * 50_000 : null,
    Property_Debt: ownsProperty ? 150_000 + Math.floor(random() * 10) * 25_000 : null,
  }
}

function add(sandbox: Sandbox, module: ModuleName, actor: Actor, at: string, values: Values): CrmRecord {
  return written(createRecord(sandbox, { module, values, at, owner: STAFF_USER.id }, actor, '$'))
}

/** Changes a record. First reads it again, so that each change builds on the change before. */
function change(sandbox: Sandbox, record: CrmRecord, actor: Actor, at: string, values: Values) {
  const current = findRecord(sandbox.store, record.module, record.id) ?? record
  written(changeRecord(sandbox, current, { values, at }, actor, '$'))
}

function note(sandbox: Sandbox, parent: CrmRecord, actor: Actor, atMs: number, title: string, content: string) {
  const at = workingTime(sandbox, atMs)
  add(sandbox, 'Notes', actor, at, { Note_Title: title, Note_Content: content, Parent_Id: parent.id })
}

function written(result: Written): CrmRecord {
  if (!result.ok) throw new Error(`demo data: ${result.failure.message}`)
  return result.record
}

/** Moves a time into the working hours of its day, nine to five, but never past now. Times stay in order. */
function workingTime(sandbox: Sandbox, ms: number): string {
  const midnight = Date.parse(
    `${localDay(ms, sandbox.behaviour().timesOffset)}T00:00:00${sandbox.behaviour().timesOffset}`,
  )
  return storedInstant(Math.min(midnight + 9 * HOUR_MS + (ms - midnight) / 3, sandbox.now()))
}

function loid(random: () => number): string {
  const letters = Array.from({ length: 8 }, () => LOID_LETTERS[Math.floor(random() * 32)] ?? '0')
  return `LO-${letters.join('')}`
}
