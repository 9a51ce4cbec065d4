import type { Settings } from '../../platform/config.ts'

/**
 * The sign-in of the partner that owns the leads in the sandbox's demo data. Everybody knows the password, so the
 * partner never exists in production.
 */
export const DEMO_SIGN_IN = { email: 'demo@harbourfinance.example', password: 'quiet-lorikeet-31' }

/** Whether this portal has the demo partner. A real CRM gets none. */
export function hasDemo({ seedDemo, isProduction, zoho }: Settings): boolean {
  return seedDemo && !isProduction && !zoho
}
