import { SignUp } from '@portal/contract/accounts.ts'
import { listDeals } from '@portal/contract/deals.ts'
import { CONSENT_VERSION, NewLead } from '@portal/contract/leads.ts'
import type { Deps } from './deps.ts'
import { findPartnerByEmail } from './features/accounts/accounts.queries.ts'
import { hashPassword } from './features/accounts/passwords.ts'
import { signUpPartner } from './features/accounts/sign-up.ts'
import { findDeals } from './features/deals/deals.queries.ts'
import { findNewestLeads } from './features/leads/leads.queries.ts'
import { submitLead } from './features/leads/submit-lead.ts'
import { addNoteToRecord } from './features/notes/add-note.ts'
import { startSync, waitForRun } from './features/sync/start-sync.ts'
import { findLastSuccess } from './features/sync/sync-runs.queries.ts'

/** The partner whose leads the sandbox's demo data are. Known to everybody, hence never in production. */
export const DEMO_SIGN_IN = { email: 'demo@harbourfinance.example', password: 'harbour-demo-2026' }

const DEMO_PARTNER = SignUp.parse({
  ...DEMO_SIGN_IN,
  businessName: 'Harbour Finance Brokers',
  firstName: 'Mia',
  lastName: 'Harbour',
})

const LEAD_NOTE = 'Spoke with the applicant this morning. Bank statements follow by Friday.'
const DEAL_NOTE = 'Gave the applicant an update by phone. They would like to hear from you on Thursday.'
const NOTED_RECORDS = 2

const DEMO_LEAD = NewLead.parse({
  firstName: 'Leo',
  lastName: 'Tran',
  email: 'leo@ironbarkcold.example',
  phone: '0491 570 006',
  state: 'VIC',
  businessName: 'Ironbark Cold Storage',
  businessIndustry: 'Transportation',
  timeInBusiness: '5-10 years',
  monthlyTurnover: 95_000,
  loanAmount: 180_000,
  loanType: 'Equipment Financing',
  loanPurpose: 'Two refrigerated trailers',
  loanTerm: '60 months',
  consentVersion: CONSENT_VERSION,
})

/** How long the start waits for the demo's leads; a slower sync goes on in the background. */
const SYNC_WAIT_MS_MAX = 20_000

/** Signs the demo partner up, pulls its leads and deals and does a little work for it, unless that was done before. */
export async function seedDemo(deps: Deps): Promise<void> {
  const partner = { id: await findOrSignUp(deps), businessName: DEMO_PARTNER.businessName }
  if (await findLastSuccess(deps.db, partner.id, 'leads')) return
  await waitForRun(deps, partner.id, await startSync(deps, partner.id, 'all'), SYNC_WAIT_MS_MAX)
  if (await findLastSuccess(deps.db, partner.id, 'leads')) await work(deps, partner)
}

/** What was in the CRM before the partner came is no news (D35): this is, and gives the dashboard's activity its first entries. */
async function work(deps: Deps, partner: { id: string; businessName: string }): Promise<void> {
  const leads = await findNewestLeads(deps.reads, partner, NOTED_RECORDS)
  const newest = listDeals.query.parse({ limit: NOTED_RECORDS })
  const deals = await findDeals(deps, partner.id, newest, deps.config.timezone)
  await deps.db.transaction().execute(async (tx) => {
    for (const { loid } of deals.rows) {
      await addNoteToRecord(tx, deps, partner, { loid, on: 'deal', title: 'Deal Note', content: DEAL_NOTE })
    }
    for (const { loid } of leads.rows) {
      await addNoteToRecord(tx, deps, partner, { loid, on: 'lead', title: null, content: LEAD_NOTE })
    }
    await submitLead(tx, deps, partner, DEMO_LEAD)
  })
}

async function findOrSignUp(deps: Deps): Promise<string> {
  const partner = await findPartnerByEmail(deps.db, DEMO_SIGN_IN.email)
  if (partner) return partner.id
  const passwordHash = await hashPassword(DEMO_PARTNER.password)
  const signUp = deps.db.transaction()
  const { partnerId } = await signUp.execute((tx) => signUpPartner(tx, deps, DEMO_PARTNER, passwordHash))
  return partnerId
}
