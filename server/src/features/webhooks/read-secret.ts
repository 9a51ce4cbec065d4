import { webhookSecretOf } from '../../platform/db/reencrypt-secrets.ts'
import type { Secrets } from '../../platform/db/secrets.ts'

/**
 * Decrypts a stored signing secret. Returns undefined if no key of SECRETS_KEY opens it. The partner must then rotate
 * the secret.
 */
export function readSecret(secrets: Secrets, stored: string, partnerId: string): string | undefined {
  try {
    return secrets.decrypt(stored, webhookSecretOf(partnerId))
  } catch {
    return undefined
  }
}
