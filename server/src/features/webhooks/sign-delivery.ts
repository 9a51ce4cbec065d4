import { createHmac, randomBytes } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32

/**
 * Makes a secret in the format of the Standard Webhooks specification (D35). Receivers paste the whole secret,
 * including the prefix.
 */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/**
 * The headers of the Standard Webhooks specification (D35), with one signature for each secret. A receiver that knows
 * any of the secrets accepts the delivery. `at` is the time of this attempt, because receivers refuse signatures that
 * are minutes old. `body` is exactly the text that is sent.
 */
export function signatureHeaders(
  delivery: { id: string; at: Date; body: string },
  secrets: string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const seconds = Math.floor(delivery.at.getTime() / 1_000)
  const signed = `${delivery.id}.${seconds}.${delivery.body}`
  return {
    'webhook-id': delivery.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((secret) => `v1,${sign(signed, secret)}`).join(' '),
  }
}

/** The HMAC key is the decoded base64 after the prefix, not the text itself. */
function sign(text: string, secret: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  return createHmac('sha256', key).update(text).digest('base64')
}
