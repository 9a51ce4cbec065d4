import { Secret, TOTP } from 'otpauth'
import { plainCode } from './plain-code.ts'

const STEP_MS = 30_000
/**
 * This many steps before and after the current one are also accepted, because clocks are wrong and people type slowly.
 */
const STEPS_AROUND = 1

/** Makes a secret of 160 bits, as RFC 4226 recommends. */
export function newTotpSecret(): Buffer {
  return Buffer.from(new Secret({ size: 20 }).bytes)
}

/** The secret as the person types it into an authenticator app, and as the URL in a QR code. The app shows the issuer. */
export function totpSetUp(
  secret: Buffer,
  { issuer, email }: { issuer: string; email: string },
): { secret: string; otpauth_url: string } {
  const totp = appOf(secret, { issuer, label: email })
  return { secret: totp.secret.base32, otpauth_url: totp.toString() }
}

/**
 * The number of the 30-second step that this code belongs to. Undefined if the code is wrong or too far from the
 * present.
 */
export function stepOfCode(secret: Buffer, code: string, now: Date): number | undefined {
  const timestamp = now.getTime()
  const delta = appOf(secret).validate({ token: plainCode(code), timestamp, window: STEPS_AROUND })
  return delta === null ? undefined : Math.floor(timestamp / STEP_MS) + delta
}

/** Uses the defaults (SHA-1, six digits, 30 seconds), which every authenticator app supports. */
function appOf(secret: Buffer, shown: { issuer?: string; label?: string } = {}): TOTP {
  const bytes = Uint8Array.from(secret)
  return new TOTP({ ...shown, secret: new Secret({ buffer: bytes.buffer }) })
}
