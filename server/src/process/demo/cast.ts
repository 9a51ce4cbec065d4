import { SignUp } from '@portal/contract/account-forms.ts'
import { connectRecords } from '../../crm/pull/run/connect-records.job.ts'
import type { Deps } from '../../deps.ts'
import { beginSession } from '../../features/accounts/begin-session.ts'
import { confirmEmail } from '../../features/accounts/confirm-email.ts'
import { DEMO_SIGN_IN } from '../../features/accounts/demo-sign-in.ts'
import { hashPassword } from '../../features/accounts/passwords.ts'
import { findPersonByEmail } from '../../features/accounts/people.queries.ts'
import { signUpPartner } from '../../features/accounts/sign-up.ts'
import { findKeyCaller } from '../../features/api-keys/find-key-caller.ts'
import { generateKey } from '../../features/api-keys/generate-key.ts'
import { createSecurityStore } from '../../features/security-log/store-security.ts'
import { type Caller, type SessionCaller, whoOf } from '../../platform/http/authenticate.ts'
import { type NoteSecurity, noteSecurity } from '../../platform/http/security-events.ts'
import type { Visitor } from '../../platform/http/visitor.ts'

export const MIA = SignUp.parse({
  ...DEMO_SIGN_IN,
  businessName: 'Harbour Finance Brokers',
  firstName: 'Mia',
  lastName: 'Harbour',
})
/** A colleague with the same password. */
export const TOM = { email: 'tom@harbourfinance.example', firstName: 'Tom', lastName: 'Reid', role: 'member' as const }
const EMAILS = { mia: MIA.email, tom: TOM.email }

const BROWSER = 'Chrome on macOS'

export interface Cast {
  visitor: Visitor
  signIn(acting: Deps, who: 'mia' | 'tom'): Promise<SessionCaller>
  callerOf(acting: Deps, who: 'mia' | 'tom' | 'website'): Promise<Caller>
}

/** The people of the demo's business, and its website, whose key is made when it first calls. */
export function openCast(): Cast {
  let apiKey: string | undefined
  const visitor: Visitor = {
    address: '203.0.113.7',
    ip: '203.0.113.7',
    browser: BROWSER,
    networks: ['203.0.113.7'],
    marks: [],
    earlierMarks: [],
    keepMarks(marks) {
      visitor.marks = marks
    },
  }

  /** Submits and notes need nobody who is signed in, but a rule that gives access checks the session. */
  async function signIn(acting: Deps, who: 'mia' | 'tom'): Promise<SessionCaller> {
    const person = await getByEmail(acting, EMAILS[who])
    const call = { visitor, security: securityOf(acting) }
    const begun = await beginSession(acting, person, call, { factor: 'password', stillCounts: async () => true })
    const { id: personId, role } = person
    return {
      ...(await callerOf(acting, who)),
      personId,
      role,
      personRights: [],
      mustSetUpSecondFactor: false,
      token: begun.token,
    }
  }

  async function callerOf(acting: Deps, who: 'mia' | 'tom' | 'website'): Promise<Caller> {
    if (who !== 'website') {
      const { id, partner_id, business_name, first_name, last_name } = await getByEmail(acting, EMAILS[who])
      return { id: partner_id, businessName: business_name, submitter: { id, name: `${first_name} ${last_name}` } }
    }
    if (!apiKey) {
      const mia = await signIn(acting, 'mia')
      apiKey = await generateKey(acting, mia, securityOf(acting, mia))
    }
    const caller = await findKeyCaller(acting, apiKey)
    if (!caller) throw new Error('the demo’s API key is gone')
    return caller
  }

  return { visitor, signIn, callerOf }
}

export async function signUp(acting: Deps): Promise<void> {
  if (await findPersonByEmail(acting.db, MIA.email)) return
  const passwordHash = await hashPassword(MIA.password)
  await acting.db.transaction().execute(async (tx) => {
    const { partnerId, personId } = await signUpPartner(tx, acting, MIA, passwordHash)
    await securityOf(acting)(tx, 'signed-up', { partner: partnerId, person: personId })
  })
}

/** The sandbox already has a record of this partner, which is linked only if the address is confirmed (D52). */
export async function confirm(acting: Deps): Promise<void> {
  const mia = await getByEmail(acting, MIA.email)
  await acting.db
    .transaction()
    .execute((tx) =>
      confirmEmail(tx, mia, (within, partnerId) => acting.jobs.enqueue(within, connectRecords, { partnerId })),
    )
}

export function securityOf(deps: Deps, caller: SessionCaller | null = null): NoteSecurity {
  const noted = { log: deps.log, store: createSecurityStore(deps) }
  return (db, event, facts) =>
    noteSecurity(noted, db, event, { ...whoOf(caller), ...facts, ip: '203.0.113.7', browser: BROWSER })
}

export async function getByEmail({ db }: Pick<Deps, 'db'>, email: string) {
  const person = await findPersonByEmail(db, email)
  if (!person) throw new Error(`${email} has no account`)
  return person
}
