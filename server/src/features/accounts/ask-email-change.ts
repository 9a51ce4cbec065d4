import { personName } from '@portal/contract/person-name.ts'
import { comparedEmail } from '@portal/contract/text.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../platform/db/ids.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { Invalid } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { Limit, RateLimit } from '../../platform/http/rate-limit.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { saveEmailChange } from './email-changes.queries.ts'
import { lockCaller } from './lock-caller.ts'
import { mailEmailChange } from './mail-email-change.job.ts'
import { enqueueNoticeToOwners } from './mail-notice.job.ts'
import { getPerson } from './people.queries.ts'
import { refuseHeldEmail, refuseKnownEmail } from './refusing-taken.ts'

const VALID_MS = 24 * 3_600_000

/**
 * Limits requests, because each one either mails an address that may be a stranger's, or reveals that the address is
 * taken.
 */
const CHANGES: RateLimit = {
  name: 'email-change',
  points: 5,
  seconds: 3_600,
  text: 'Too many changes to the email address. Please try again later.',
}

/** Mails a link to the new address. Opening the link changes the address (D67). Earlier links stop working. */
export async function askEmailChange(
  deps: Deps,
  caller: SessionCaller,
  email: string,
  { limit, security }: { limit: Limit; security: NoteSecurity },
): Promise<void> {
  const { db, clock, jobs } = deps
  const { personId } = caller
  const now = clock.now()
  const person = await getPerson(db, personId)
  if (email === comparedEmail(person.email)) {
    const text = 'This is your email address already'
    throw new Invalid('VALIDATION', text, { email: text })
  }
  await limit(CHANGES, personId)
  await inTransaction(db, async (tx) => {
    await lockCaller(tx, deps, caller)
    await refuseKnownEmail(tx, email)
    await refuseHeldEmail(tx, email, personId, now)
    const id = newId(now)
    await saveEmailChange(tx, {
      id,
      person_id: personId,
      old_email: person.email,
      new_email: email,
      asked_at: now.toISOString(),
      confirm_until: new Date(now.getTime() + VALID_MS).toISOString(),
    })
    await jobs.enqueue(tx, mailEmailChange, { changeId: id })
    const about = { name: personName(person), email: person.email, role: person.role }
    await enqueueNoticeToOwners(tx, deps, caller.id, 'email-change-asked', { about })
    await security(tx, 'email-change-asked')
  })
}
