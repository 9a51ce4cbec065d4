import { SignUp } from '@portal/contract/accounts.ts'
import type { Deps } from './deps.ts'
import { findPartnerByEmail } from './features/accounts/accounts.queries.ts'
import { hashPassword } from './features/accounts/passwords.ts'
import { signUpPartner } from './features/accounts/sign-up.ts'
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

/** How long the start waits for the demo's leads; a slower sync goes on in the background. */
const SYNC_WAIT_MS_MAX = 20_000

/** Signs the demo partner up and pulls its leads and deals, unless both were done before. */
export async function seedDemo(deps: Deps): Promise<void> {
  const partnerId = await findOrSignUp(deps)
  if (await findLastSuccess(deps.db, partnerId, 'leads')) return
  await waitForRun(deps, partnerId, await startSync(deps, partnerId, 'all'), SYNC_WAIT_MS_MAX)
}

async function findOrSignUp(deps: Deps): Promise<string> {
  const partner = await findPartnerByEmail(deps.db, DEMO_SIGN_IN.email)
  if (partner) return partner.id
  const passwordHash = await hashPassword(DEMO_PARTNER.password)
  const signUp = deps.db.transaction()
  const { partnerId } = await signUp.execute((tx) => signUpPartner(tx, deps, DEMO_PARTNER, passwordHash))
  return partnerId
}
