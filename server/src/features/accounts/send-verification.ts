import type { Deps } from '../../deps.ts'
import { Conflict } from '../../errors.ts'
import type { Limit, RateLimit } from '../../http/rate-limit.ts'
import { getPartner } from './accounts.queries.ts'
import { mailVerification } from './mail-verification.job.ts'

const MAILS: RateLimit = {
  name: 'send-verification',
  points: 5,
  seconds: 3_600,
  text: 'Too many mails were asked for. Please look into your spam folder, or try again later.',
}

export async function sendVerificationAgain(
  { db, jobs }: Pick<Deps, 'db' | 'jobs'>,
  partnerId: string,
  limit: Limit,
): Promise<void> {
  const partner = await getPartner(db, partnerId)
  if (partner.email_verified) throw new Conflict('CONFLICT', 'Your email address is confirmed already')
  await limit(MAILS, partnerId)
  await jobs.enqueue(db, mailVerification, { partnerId, isWelcome: false })
}
