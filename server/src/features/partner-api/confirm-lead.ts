import { createHmac } from 'node:crypto'
import type { LeadSubmission } from '@portal/contract/submissions.ts'
import { Conflict, Invalid } from '../../platform/errors.ts'

const MINUTE_MS = 60_000
const VALID_MINUTES = 15

/**
 * A word for exactly this lead, as it was shown to a person. An assistant cannot make it up, because it is keyed with
 * the hash of the API key.
 */
export function confirmationOf(lead: LeadSubmission, keyHash: Buffer, now: Date): string {
  return wordOf(lead, keyHash, Math.floor(now.getTime() / MINUTE_MS))
}

/** Refuses a confirmation of another lead, of another key's, or of more than 15 minutes ago. */
export function requireConfirmation(lead: LeadSubmission, confirmation: string, keyHash: Buffer, now: Date): void {
  const minute = Number(confirmation.split('.', 1)[0])
  if (confirmation !== wordOf(lead, keyHash, minute)) {
    const text = 'This is not the lead that was shown: leave out the confirmation, and show it again'
    throw new Invalid('VALIDATION', text, { confirmation: text })
  }
  if (Math.floor(now.getTime() / MINUTE_MS) - minute > VALID_MINUTES) {
    throw new Conflict('CONFLICT', 'The confirmation is too old: leave it out, and show the lead again')
  }
}

function wordOf(lead: LeadSubmission, keyHash: Buffer, minute: number): string {
  const word = createHmac('sha256', keyHash)
    .update(`${minute} ${JSON.stringify(lead)}`)
    .digest('base64url')
  return `${minute}.${word.slice(0, 22)}`
}
