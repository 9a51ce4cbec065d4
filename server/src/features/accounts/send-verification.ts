import type { Deps } from '../../deps.ts'
import { Conflict } from '../../platform/errors.ts'
import type { Limit, RateLimit } from '../../platform/http/rate-limit.ts'
import { mailVerification } from './mail-verification.job.ts'
import { getPerson } from './people.queries.ts'

const MAILS: RateLimit = {
  name: 'send-verification',
  points: 5,
  seconds: 3_600,
  text: 'Too many emails were requested. Please check your spam folder, or try again later.',
}

export async function sendVerificationAgain(
  { db, jobs }: Pick<Deps, 'db' | 'jobs'>,
  personId: string,
  limit: Limit,
): Promise<void> {
  const person = await getPerson(db, personId)
  if (person.email_verified) throw new Conflict('CONFLICT', 'Your email address is confirmed already')
  await limit(MAILS, personId)
  await jobs.enqueue(db, mailVerification, { personId, isWelcome: false })
}
