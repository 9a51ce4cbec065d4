import { SignUp } from '@portal/contract/accounts.ts'
import type { Deps } from './deps.ts'
import { findPartnerByEmail } from './features/accounts/accounts.queries.ts'
import { signUpPartner } from './features/accounts/sign-up.ts'

/** The partner whose leads the sandbox's demo data are. Known to everybody, hence never in production. */
export const DEMO_SIGN_IN = { email: 'demo@harbourfinance.example', password: 'harbour-demo-2026' }

const DEMO_PARTNER = SignUp.parse({
  ...DEMO_SIGN_IN,
  businessName: 'Harbour Finance Brokers',
  firstName: 'Mia',
  lastName: 'Harbour',
})

/** Signs the demo partner up on the first start and pulls its leads and deals. False when the demo is not there. */
export async function seedDemo(deps: Deps): Promise<boolean> {
  if (await findPartnerByEmail(deps.db, DEMO_SIGN_IN.email)) return true
  await deps.db.transaction().execute((tx) => signUpPartner(tx, deps, DEMO_PARTNER))
  return true
}
