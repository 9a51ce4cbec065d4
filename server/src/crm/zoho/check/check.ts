import type { CrmCheck } from '../../../records/crm-records.ts'
import { asTrial } from '../call-order.ts'
import { CrmAddressRefused, CrmForbidden, CrmSignInRefused, CrmSilent, isOfCrm } from '../errors.ts'
import type { Organisation } from '../organisation.ts'
import type { ZohoParts } from '../parts.ts'
import { CALL_TRIALS } from './call-trials.ts'
import { SETTINGS_TRIALS } from './settings-trials.ts'
import { type Checked, isOfScope, type Trial, Wrong, WrongForAll } from './trial.ts'

export interface Checks {
  /**
   * Tests everything that the portal needs from the CRM, and changes nothing there. Stops at a failure that explains all
   * later ones, such as a refused sign-in or a missing module.
   */
  check(signal?: AbortSignal): Promise<CrmCheck[]>
}

export function openChecks({ api, metadata, fieldMap }: ZohoParts, organisation: Organisation): Checks {
  const checked = { api, metadata, fieldMap, organisation }
  return {
    check: (signal) =>
      asTrial(async () => {
        const checks: CrmCheck[] = []
        for (const trial of [...SETTINGS_TRIALS, ...CALL_TRIALS]) {
          const { isForAll, ...check } = await attempt(trial, checked, signal)
          checks.push(check)
          if (isForAll) break
        }
        return checks
      }),
  }
}

async function attempt(
  { name, scope, run }: Trial,
  checked: Checked,
  signal?: AbortSignal,
): Promise<CrmCheck & { isForAll: boolean }> {
  try {
    return { name, says: await run(checked, signal), isWrong: false, isForAll: false }
  } catch (error) {
    if (error instanceof Wrong) {
      return { name, says: error.message, isWrong: true, isForAll: error instanceof WrongForAll }
    }
    if (!isOfCrm(error)) throw error
    return { name, says: inWords(error, scope), isWrong: true, isForAll: explainsAll(error) }
  }
}

function explainsAll(error: Error): boolean {
  const kinds = [CrmSignInRefused, CrmAddressRefused, CrmSilent]
  return kinds.some((kind) => error instanceof kind) || isVersionRetired(error) || isLicenceOver(error)
}

/** What the CRM refused, and what an operator can do about it. `scope` is the scope that the call needs. */
export function inWords(error: Error, scope: string): string {
  return `${error.message.replace(/\.?$/, '.')} ${adviceFor(error, scope)}`
}

function adviceFor(error: Error, scope: string): string {
  if (error instanceof CrmSignInRefused) return error.advice
  if (error instanceof CrmSilent) return error.why
  if (error instanceof CrmAddressRefused) {
    return "The organisation may allow only some addresses. Add this machine's in Zoho's settings: Security Control, Allowed IPs"
  }
  if (isVersionRetired(error)) {
    return 'Zoho has retired the version of its API that this portal speaks (v8). Install a newer version of the portal'
  }
  if (isLicenceOver(error)) return "The organisation's licence of Zoho has ended. Renew it"
  if (isOfScope(error)) return `The grant lacks the scope ${scope}. Make a new grant that includes it`
  if (error instanceof CrmForbidden)
    return "The API user's profile lacks a permission for this. Add it in the CRM's settings"
  return 'Try again. If it still fails, look at the log'
}

function isLicenceOver(error: Error): boolean {
  return /LICEN[CS]E/.test(error.message)
}

function isVersionRetired(error: Error): boolean {
  return /HTTP 410\b|API_VERSION_RETIRED/.test(error.message)
}
