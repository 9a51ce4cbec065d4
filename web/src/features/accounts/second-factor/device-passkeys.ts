import {
  askForPasskey,
  type CreatedPasskey,
  type PasskeyCreation,
  type UsedPasskey,
} from '@portal/contract/second-factor.ts'
import { call } from '../../../api/call.ts'
import { Failure } from '../../../api/failure.ts'

/** The texts for a browser that gave no passkey, by the error's name in WebAuthn. */
const REFUSALS: Record<string, string> = {
  NotAllowedError: 'No passkey was provided. Please try again.',
  AbortError: 'No passkey was provided. Please try again.',
  InvalidStateError: 'This device already has a passkey for your account.',
  SecurityError: 'Passkeys do not work at this address. Open the portal at its usual address.',
}
const OTHERWISE = 'This device could not provide a passkey.'

export function hasPasskeys(): boolean {
  return 'PublicKeyCredential' in window
}

export async function createPasskey(optionsJSON: PasskeyCreation): Promise<CreatedPasskey> {
  // The library loads only when it is needed, because most visits use no passkey.
  const { startRegistration } = await import('@simplewebauthn/browser')
  return startRegistration({ optionsJSON }).catch(refuse)
}

/**
 * Asks for any passkey of this portal. Given the token of a second step, asks for a passkey of the person signing in.
 */
export async function takePasskey(token?: string): Promise<UsedPasskey> {
  const [optionsJSON, { startAuthentication }] = await Promise.all([
    call(askForPasskey, { body: { token } }),
    import('@simplewebauthn/browser'),
  ])
  return startAuthentication({ optionsJSON }).catch(refuse)
}

function refuse(cause: unknown): never {
  const name = cause instanceof Error ? cause.name : ''
  throw new Failure(0, REFUSALS[name] ?? OTHERWISE, { code: 'NO_PASSKEY', cause })
}

/** The words for a device in a browser's user agent. Linux comes last, because Android's user agent names it too. */
const DEVICES = ['iPhone', 'iPad', 'Android', 'Macintosh', 'Windows', 'Linux']

/** The suggested name for a new passkey. */
export function deviceName(userAgent: string): string {
  const device = DEVICES.find((word) => userAgent.includes(word))
  if (device === 'Macintosh') return 'Mac'
  return device ?? 'My device'
}
