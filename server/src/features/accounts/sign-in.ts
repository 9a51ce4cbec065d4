import { setTimeout as pause } from 'node:timers/promises'
import type { SignIn } from '@portal/contract/account-forms.ts'
import type { BegunSession, SecondStep } from '@portal/contract/accounts.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../platform/db/database.ts'
import { PortalError, Unauthorized } from '../../platform/errors.ts'
import type { Limit } from '../../platform/http/rate-limit.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import type { Visitor } from '../../platform/http/visitor.ts'
import { beginSession, refuseInactive } from './begin-session.ts'
import { countPasswordTry } from './count-password-try.ts'
import { isPassword, pretendToCheck } from './passwords.ts'
import { findPersonByEmail, getPasswordHash, type Person } from './people.queries.ts'
import { findKinds } from './second-factor/factors.ts'
import { secondStepFor } from './second-factor/sign-in-steps.ts'

/**
 * A refused sign-in takes at least this long with HIDE_ACCOUNT_EXISTENCE. A failure is stored only for a known address,
 * and the wait hides how long that takes.
 */
const FAILURE_MS = 25

interface SignInCall {
  visitor: Visitor
  limit: Limit
  security: NoteSecurity
}

/**
 * Checks email and password, then begins a session or asks for a second factor. The refusals have D11's texts, which
 * the client recognises by their words: the text for a wrong password contains neither 'email' nor 'user'.
 */
export async function signInPerson(
  deps: Deps,
  form: SignIn,
  { visitor, limit, security }: SignInCall,
): Promise<BegunSession | SecondStep> {
  const known = await findPersonByEmail(deps.db, form.email)
  try {
    const counted = await countPasswordTry(deps, form.email, visitor, limit)
    const person = await checkSignIn(deps, form, known, counted.isKnownBrowser)
    await counted.giveBack()
    refuseInactive(person)
    const isSamePassword = async (tx: Tx) => (await getPasswordHash(tx, person.id)) === person.password_hash
    return (
      (await secondStepFor(deps, person, isSamePassword)) ??
      (await beginSession(
        deps,
        person,
        { visitor, security },
        {
          factor: 'password',
          stillCounts: async (tx) => (await isSamePassword(tx)) && (await findKinds(tx, person.id)).length === 0,
        },
      ))
    )
  } catch (error) {
    if (error instanceof PortalError) {
      const who = { partner: known?.partner_id, person: known?.id }
      const noted = security(deps.db, 'sign-in-failed', { ...who, reason: error.code })
      await (deps.config.hideAccountExistence ? Promise.all([noted, pause(FAILURE_MS)]) : noted)
    }
    throw error
  }
}

async function checkSignIn(
  { config }: Pick<Deps, 'config'>,
  form: SignIn,
  person: (Person & { password_hash: string }) | undefined,
  goesFirst: boolean,
): Promise<Person & { password_hash: string }> {
  if (!person) {
    if (!config.hideAccountExistence) throw new Unauthorized('EMAIL_NOT_FOUND', 'No user with this email')
    await pretendToCheck(form.password)
    throw wrongPassword()
  }
  if (!(await isPassword(form.password, person.password_hash, goesFirst))) throw wrongPassword()
  return person
}

function wrongPassword(): Unauthorized {
  return new Unauthorized('INVALID_PASSWORD', 'Incorrect password')
}
