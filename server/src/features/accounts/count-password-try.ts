import type { Deps } from '../../deps.ts'
import type { Limit, RateLimit } from '../../http/rate-limit.ts'
import type { Visitor } from '../../http/visitor.ts'
import { countedBy, knownBy } from './known-sources.ts'

const TRY_LATER = 'Too many sign-in attempts. Please wait a few minutes before trying again.'
/** Of one browser or address on one account. */
const PER_SOURCE: RateLimit = { name: 'login', points: 10, seconds: 60, text: TRY_LATER }
/** Of one address on all accounts together. */
const PER_ADDRESS: RateLimit = { name: 'login-address', points: 100, seconds: 3_600, text: TRY_LATER }
/** Of all sources together that the account does not know. */
const PER_ACCOUNT: RateLimit = {
  name: 'login-account',
  points: 100,
  seconds: 3_600,
  text: TRY_LATER,
  thenSlow: {
    name: 'login-account-slow',
    points: 1,
    seconds: 10,
    text: 'Too many sign-in attempts for this account. Please wait a few seconds before trying again.',
  },
}

/**
 * Counts a try of an account's password before it is checked, so that many at once are not more than one after the
 * other; throws TooMany over a limit. A try that succeeds is to be given back, so that only failures count.
 *
 * Nobody locks an owner out (D53): an address or browser from which the account signed in before passes what others use
 * up, and elsewhere a reset of the password makes the browser a known one. A try that one limit refuses is none against
 * the next.
 */
export async function countPasswordTry(
  { db }: Pick<Deps, 'db'>,
  email: string,
  visitor: Visitor,
  limit: Limit,
): Promise<{ giveBack(): Promise<void> }> {
  const known = await knownBy(db, email, visitor)
  const counted = [await limit(PER_SOURCE, `${email} ${countedBy(known, visitor)}`)]
  if (known !== 'mark') counted.push(await limit(PER_ADDRESS, visitor.address))
  if (known === undefined) counted.push(await limit(PER_ACCOUNT, email))
  return { giveBack: async () => void (await Promise.all(counted.map((one) => one.giveBack()))) }
}
