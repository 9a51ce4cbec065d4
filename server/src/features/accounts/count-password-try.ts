import type { Deps } from '../../deps.ts'
import { type Counted, type Limit, limitVisitor, type RateLimit } from '../../platform/http/rate-limit.ts'
import type { Visitor } from '../../platform/http/visitor.ts'
import { countedBy, knownBy } from './known-sources.ts'

const SLOW = {
  text: 'Too many sign-in attempts. Please wait a few seconds before trying again.',
  slows: true,
} as const
/** Limits tries on one account from one browser or IP address. */
const PER_SOURCE: RateLimit = { name: 'login', points: 10, seconds: 60, ...SLOW }
/** Limits tries from one IP address on all accounts together. */
const PER_ADDRESS: RateLimit = { name: 'login-address', points: 100, seconds: 3_600, ...SLOW }
/** Limits tries on one account from all unknown sources together. */
const PER_ACCOUNT: RateLimit = { name: 'login-account', points: 100, seconds: 3_600, ...SLOW }
/** Limits tries from all unknown sources on all accounts together, so that they cannot fill the queue for hashes. */
const UNKNOWN: RateLimit = { name: 'login-unknown', points: 60, seconds: 60, ...SLOW }

/**
 * Counts a try before the password is checked, so that parallel tries cannot exceed the limit. Throws TooMany if a
 * limit is exceeded: a limit slows down, and nothing shuts out (D131). Call `giveBack` after a successful try, so that
 * only failures count.
 *
 * Strangers cannot lock a person out (D53). If somebody has already signed in to the account from this browser, only
 * this browser's tries count. Otherwise, if somebody has already signed in to it from this IP address, only the tries
 * from this IP address count. A reset of the password makes a new browser known. A try that one limit refuses does not
 * count towards the following limits.
 */
export async function countPasswordTry(
  { db }: Pick<Deps, 'db'>,
  email: string,
  visitor: Visitor,
  limit: Limit,
): Promise<Counted & { isKnownBrowser: boolean }> {
  const known = await knownBy(db, email, visitor)
  const isKnownBrowser = known?.by === 'mark'
  const counted = [await limit(PER_SOURCE, `${email} ${countedBy(known, visitor)}`)]
  if (!isKnownBrowser) counted.push(await limitVisitor(limit, PER_ADDRESS, visitor))
  if (known === undefined) counted.push(await limit(PER_ACCOUNT, email), await limit(UNKNOWN, 'all'))
  return { isKnownBrowser, giveBack: async () => void (await Promise.all(counted.map((one) => one.giveBack()))) }
}
