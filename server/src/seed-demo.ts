import { SignUp } from '@portal/contract/accounts.ts'
import { DEAL_NOTE_TITLE } from '@portal/contract/choices.ts'
import { DealFilters } from '@portal/contract/deals.ts'
import { CONSENT_VERSION, NewLead } from '@portal/contract/leads.ts'
import { newId } from './db/ids.ts'
import type { Deps } from './deps.ts'
import { hashPassword } from './features/accounts/passwords.ts'
import { findPersonByEmail, insertPerson, markEmailVerified } from './features/accounts/people.queries.ts'
import { signUpPartner } from './features/accounts/sign-up.ts'
import { findDeals } from './features/deals/deals.queries.ts'
import { findNewestLeads } from './features/leads/leads.queries.ts'
import { submitLead } from './features/leads/submit-lead.ts'
import { addNoteToRecord } from './features/notes/add-note.ts'
import { startSync, waitForRun } from './features/sync/start-sync.ts'
import type { Caller } from './http/authenticate.ts'

/**
 * The sign-in of the partner that owns the leads in the sandbox's demo data. Everybody knows the password, so the
 * partner never exists in production.
 */
export const DEMO_SIGN_IN = { email: 'demo@harbourfinance.example', password: 'harbour-demo-2026' }

const DEMO_PARTNER = SignUp.parse({
  ...DEMO_SIGN_IN,
  businessName: 'Harbour Finance Brokers',
  firstName: 'Mia',
  lastName: 'Harbour',
})

/** A colleague with the same password. The demo person gets news of the colleague's lead and note (D72). */
const COLLEAGUE = { email: 'tom@harbourfinance.example', first_name: 'Tom', last_name: 'Reid', role: 'member' as const }

const SUBMITTED_LEAD = NewLead.parse({
  firstName: 'Ingrid',
  lastName: 'Falk',
  email: 'ingrid@northerlyboats.example',
  phone: '+61255501266',
  state: 'NSW',
  businessName: 'Northerly Boat Builders',
  businessIndustry: 'Manufacturing',
  timeInBusiness: '5-10 years',
  monthlyTurnover: 92_000,
  loanAmount: 118_000,
  loanType: 'Equipment Financing',
  loanPurpose: 'Hull mould and spray equipment',
  loanTerm: '36 months',
  additionalInfo: 'Best reached in the morning.',
  consentVersion: CONSENT_VERSION,
})

const HOUR_MS = 3_600_000
/** If the first sync takes longer, the demo gets its activity at the next start. */
const SYNC_WAIT_MS_MAX = 300_000

/** Signs the demo partner up, pulls its leads and deals and adds activity to them, unless this was done before. */
export async function seedDemo(deps: Deps): Promise<void> {
  const { partnerId, personId, passwordHash } = await findOrSignUp(deps)
  if (await findPersonByEmail(deps.db, COLLEAGUE.email)) return
  const run = await waitForRun(deps, partnerId, await startSync(deps, partnerId, 'all'), SYNC_WAIT_MS_MAX)
  if (run.status !== 'succeeded') return
  const mia = {
    id: partnerId,
    businessName: DEMO_PARTNER.businessName,
    submitter: { id: personId, name: `${DEMO_PARTNER.firstName} ${DEMO_PARTNER.lastName}` },
  }
  await workOnRecords(deps, mia, passwordHash)
}

/**
 * Adds a colleague who submits a lead, and adds notes by both people. Records from the first sync cause no events
 * (D35), so the demo would otherwise have no activity.
 */
async function workOnRecords(deps: Deps, mia: Caller, passwordHash: string): Promise<void> {
  const leads = await findNewestLeads(deps.reads, mia, 5)
  const deals = await findDeals(deps, mia.id, DealFilters.parse({}), deps.config.timezone)
  const now = deps.clock.now()
  const colleague = {
    ...COLLEAGUE,
    id: newId(now),
    partner_id: mia.id,
    password_hash: passwordHash,
    email_verified: true,
  }
  const tom = { ...mia, submitter: { id: colleague.id, name: `${COLLEAGUE.first_name} ${COLLEAGUE.last_name}` } }
  const notes = [
    {
      by: mia,
      on: 'lead',
      loid: leads.rows.at(-1)?.loid,
      hoursAgo: 26,
      content: 'Six months of statements will come by email.',
    },
    {
      by: mia,
      on: 'deal',
      loid: deals.rows.at(1)?.loid,
      hoursAgo: 5,
      content: 'The client is happy and asks about a second loan.',
    },
    {
      by: tom,
      on: 'deal',
      loid: deals.rows.at(0)?.loid,
      hoursAgo: 1,
      content: 'Reached the client: they will call you back tomorrow.',
    },
  ] as const
  await deps.db.transaction().execute(async (tx) => {
    await insertPerson(tx, { ...colleague, created_at: now.toISOString(), modified_time: now.toISOString() })
    await submitLead(tx, hoursBefore(deps, 3), tom, SUBMITTED_LEAD)
    for (const { by, loid, hoursAgo, ...note } of notes) {
      const title = note.on === 'deal' ? DEAL_NOTE_TITLE : null
      if (loid) await addNoteToRecord(tx, hoursBefore(deps, hoursAgo), by, { ...note, loid, title })
    }
  })
}

function hoursBefore({ clock, jobs }: Deps, hours: number): Pick<Deps, 'clock' | 'jobs'> {
  return { jobs, clock: { now: () => new Date(clock.now().getTime() - hours * HOUR_MS) } }
}

/**
 * Finds the demo partner or signs it up. The account is dated before the activity, because activity that is older than
 * the account would not be news.
 */
async function findOrSignUp(deps: Deps): Promise<{ partnerId: string; personId: string; passwordHash: string }> {
  const person = await findPersonByEmail(deps.db, DEMO_SIGN_IN.email)
  if (person) return { partnerId: person.partner_id, personId: person.id, passwordHash: person.password_hash }
  const passwordHash = await hashPassword(DEMO_PARTNER.password)
  return deps.db.transaction().execute(async (tx) => {
    const { partnerId, personId } = await signUpPartner(tx, hoursBefore(deps, 48), DEMO_PARTNER, passwordHash)
    // The sandbox already has a record of this partner, which is linked only if the address is confirmed (D52).
    await markEmailVerified(tx, personId)
    return { partnerId, personId, passwordHash }
  })
}
