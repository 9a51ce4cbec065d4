import { createHmac, randomBytes } from 'node:crypto'

export function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`
}

export function signatureHeaders(
  delivery: { id: string; at: Date; body: string },
  secrets: string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const seconds = Math.floor(delivery.at.getTime() / 1_000)
  const signed = `${delivery.id}.${seconds}.${delivery.body}`
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  })
  return {
    'webhook-id': delivery.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  }
}
