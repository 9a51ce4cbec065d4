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

/** The statuses that a lead went through, beginning with `New Lead`, and a note that was made on the way. */
const LEAD_PATHS: readonly { statuses: string[]; note?: string }[] = [
  { statuses: ['New Lead'] },
  { statuses: ['New Lead', 'Not Contacted'] },
  { statuses: ['New Lead', 'Attempting To Contact'], note: 'Left a voicemail, will try again after lunch.' },
  { statuses: ['New Lead', 'Contacted'], note: 'Good call. Sending the checklist of documents today.' },
  {
    statuses: ['New Lead', 'Contacted', 'Pre Qualified'],
    note: 'Turnover and time in business fit. Waiting for six months of statements.',
  },
  { statuses: ['New Lead', 'Pre Call'] },
  {
    statuses: ['New Lead', 'Attempting To Contact', 'Unable to Contact'],
    note: 'Three calls and two emails without an answer.',
  },
  { statuses: ['New Lead', 'Contact Soon'] },
  { statuses: ['New Lead', 'Contacted', 'Contact in Future'], note: 'Wants to wait until the new financial year.' },
  { statuses: ['New Lead', 'Contacted', 'Lost Lead'], note: 'Went with their own bank.' },
  { statuses: ['New Lead', 'Contacted', 'Not Qualified'], note: 'Trading for four months only; we need twelve.' },
  { statuses: ['New Lead', 'Duplicate'] },
  { statuses: ['New Lead', 'Contact in Future', 'Re-engage'], note: 'Back in touch: the equipment quote has come in.' },
  { statuses: ['New Lead', 'Junk Lead'] },
]

/** The stages that a deal went through. */
const DEAL_PATHS: readonly { stages: string[]; note: string }[] = [
  { stages: ['Waiting On Application'], note: 'Application form sent by email.' },
  {
    stages: ['Waiting On Application', 'Information Received', 'Pending Approval', 'Approved', 'Funded'],
    note: 'Settled. Thank you for the referral!',
  },
  {
    stages: ['Waiting On Application', 'Information Received'],
    note: 'Bank statements are in; the tax portal is outstanding.',
  },
  {
    stages: ['Waiting On Application', 'Information Received', 'Consulting With Client'],
    note: 'Talking through a longer term to lower the repayment.',
  },
  {
    stages: ['Waiting On Application', 'Information Received', 'Thrown To Kestrel Capital'],
    note: 'Better suited to Kestrel’s low-doc product.',
  },
  {
    stages: ['Waiting On Application', 'Information Received', 'Pending Approval', 'Approved', 'Funded'],
    note: 'Funds released this morning.',
  },
  {
    stages: ['Waiting On Application', 'Information Received', 'Pending Approval'],
    note: 'With credit, answer expected within two days.',
  },
  {
    stages: ['Waiting On Application', 'Thrown To Wattle Street Lending', 'With Southern Cross Equipment Finance'],
    note: 'Asset is too old for Wattle Street, moved on.',
  },
  {
    stages: ['Waiting On Application', 'Information Received', 'Pending Approval', 'Approved'],
    note: 'Approved subject to a director’s guarantee.',
  },
  { stages: ['Waiting On Application', 'Consumer Or Asset Deal'], note: 'Vehicle is in a personal name.' },
  { stages: ['Waiting On Application', 'Information Received', 'Closed'], note: 'Client withdrew.' },
  {
    stages: ['Waiting On Application', 'Information Received', 'Pending Approval', 'Approved', 'Funded'],
    note: 'Funded in full, second drawdown in March.',
  },
  { stages: ['Waiting On Application', 'Re-Engage'], note: 'No reply for two weeks, trying once more.' },
  { stages: ['Waiting On Application', 'Information Received', 'With Kestrel Capital'], note: 'Kestrel has the file.' },
]

export function isEmpty(sandbox: Sandbox): boolean {
  return countRecords(sandbox.store, '', []) === 0
}

/**
 * Adds one partner with ninety days of leads and deals. They are the same on every run, except that their dates always
 * run up to today.
 */
export function fillDemoData(sandbox: Sandbox) {
  sandbox.store.transaction(() => {
    const random = randomNumbers(20_260_301)
    const now = sandbox.now()
    const partner = add(sandbox, 'Partners', PORTAL, workingTime(sandbox, now - 96 * DAY_MS), {
      Name: 'Harbour Finance Brokers',
      Email: 'demo@harbourfinance.example',
      First_Name: 'Alex',
      Last_Name: 'Morgan',
      Phone: '+61255501000',
    })
    const last = DEMO_LEADS.length - 1
    let leads = 0
    let deals = 0
    for (const [index, lead] of DEMO_LEADS.entries()) {
      // From ninety days ago to this morning, denser towards today.
      const daysAgo = 0.2 + 89.8 * (1 - index / last) ** 1.25
      const submitted = now - daysAgo * DAY_MS - Math.floor(random() * 7_200_000)
      const values = leadValues(lead, partner.id, loid(random), random)
      const record = add(sandbox, 'Leads', PORTAL, workingTime(sandbox, submitted), values)
      // Two leads in seven become deals, but no lead of the last few days does.
      const turns = index % 7 === 1 || index % 7 === 4
      if (turns && daysAgo > 3) livesAsDeal(sandbox, record, lead, submitted, deals++)
      else livesAsLead(sandbox, record, submitted, leads++, daysAgo)
    }
  })
}

function livesAsLead(sandbox: Sandbox, lead: CrmRecord, submitted: number, index: number, daysAgo: number) {
  const path = LEAD_PATHS[daysAgo < 1.5 ? 0 : index % LEAD_PATHS.length] ?? { statuses: ['New Lead'] }
  const actor = index % 3 === 0 ? CALLUM : MAYA
  const stepMs = Math.min(3 * DAY_MS, ((daysAgo - 0.05) * DAY_MS) / (path.statuses.length + 1))
  let at = submitted
  for (const status of path.statuses.slice(1)) {
    at += stepMs * 0.8
    change(sandbox, lead, actor, workingTime(sandbox, at), { Lead_Status: actualValue(LEAD_STATUSES, status) })
  }
  if (path.note) note(sandbox, lead, actor, at + stepMs * 0.2, index % 2 === 0 ? 'Partner update' : 'Call', path.note)
}

function livesAsDeal(sandbox: Sandbox, lead: CrmRecord, demo: DemoLead, submitted: number, index: number) {
  const path = DEAL_PATHS[index % DEAL_PATHS.length] ?? { stages: ['Waiting On Application'], note: '' }
  const actor = index % 2 === 0 ? MAYA : CALLUM
  const available = sandbox.now() - submitted - DAY_MS / 4
  const stepMs = Math.min(4 * DAY_MS, available / (path.stages.length + 3))
  const contacted = submitted + stepMs * 0.5
  change(sandbox, lead, actor, workingTime(sandbox, contacted), { Lead_Status: 'Contacted' })
  note(
    sandbox,
    lead,
    actor,
    contacted + stepMs * 0.2,
    'Call',
    `Spoke with ${demo.firstName}. Keen, and ready to send documents.`,
  )
  change(sandbox, lead, actor, workingTime(sandbox, contacted + stepMs * 0.5), { Lead_Status: 'Pre Qualified' })

  let at = submitted + stepMs * 1.5
  const [first = '', ...later] = path.stages
  const result = convertLead(
    sandbox,
    findRecord(sandbox.store, 'Leads', lead.id) ?? lead,
    {
      deal: {
        Deal_Name: `${demo.company} – ${demo.loanType}`,
        Stage: actualValue(DEAL_STAGES, first),
        Closing_Date: localDay(submitted + 45 * DAY_MS, sandbox.behaviour().timesOffset),
        Pipeline: 'Standard (Standard)',
      },
      at: workingTime(sandbox, at),
    },
    actor,
  )
  if ('failure' in result || !result.deal) throw new Error('a demo lead could not be converted')
  for (const stage of later) {
    at += stepMs
    change(sandbox, result.deal, actor, workingTime(sandbox, at), { Stage: actualValue(DEAL_STAGES, stage) })
  }
  note(sandbox, result.deal, actor, at + stepMs * 0.3, 'Partner update', path.note)
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
