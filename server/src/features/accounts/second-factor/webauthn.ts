import type { CreatedPasskey, PasskeyCreation, PasskeyQuestion, UsedPasskey } from '@portal/contract/second-factor.ts'
import * as z from 'zod/mini'

/** How long a person may take to use the passkey. */
export const CHALLENGE_MS = 5 * 60_000

/** The COSE numbers of the algorithms that devices support: EdDSA, ES256 and RS256. */
const ALGORITHMS = [-8, -7, -257]

const ClientData = z.object({ challenge: z.string().check(z.regex(/^[\w-]{1,100}$/)) })

/** A stored passkey. */
export interface StoredPasskey {
  credential_id: string
  public_key: Buffer
  counter: number
  transports: string[]
}

type Known = Pick<StoredPasskey, 'credential_id' | 'transports'>

/**
 * The options for a new passkey. The passkey is discoverable, so that it can replace the whole sign-in. The browser is
 * not asked for the model of the device.
 */
export async function passkeyCreation(
  { publicUrl, brandName }: { publicUrl: string; brandName: string },
  person: { id: string; email: string; name: string },
  known: readonly Known[],
): Promise<PasskeyCreation> {
  const rp = { name: brandName, id: hostOf(publicUrl) }
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: rp.name,
    rpID: rp.id,
    userID: Uint8Array.from(Buffer.from(person.id)),
    userName: person.email,
    userDisplayName: person.name,
    supportedAlgorithmIDs: ALGORITHMS,
  })
  return {
    ...options,
    rp,
    timeout: CHALLENGE_MS,
    attestation: 'none',
    excludeCredentials: known.map(descriptor),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'preferred' },
  }
}

/**
 * The options for using a passkey. If `known` is empty, the person chooses among all passkeys that the device has for
 * this portal.
 */
export async function passkeyQuestion(publicUrl: string, known: readonly Known[]): Promise<PasskeyQuestion> {
  const rpId = hostOf(publicUrl)
  const { generateAuthenticationOptions } = await library()
  const { challenge } = await generateAuthenticationOptions({ rpID: rpId })
  const allowCredentials = known.map(descriptor)
  return { challenge, timeout: CHALLENGE_MS, rpId, allowCredentials, userVerification: 'preferred' }
}

/** Reads the challenge that a browser's answer names. Undefined if the answer cannot be read. */
export function challengeOf({ response }: CreatedPasskey | UsedPasskey): string | undefined {
  try {
    return ClientData.parse(JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString())).challenge
  } catch {
    return undefined
  }
}

/** Returns the new passkey if it was made for this portal in answer to this challenge. */
export async function readCreatedPasskey(
  publicUrl: string,
  passkey: CreatedPasskey,
  challenge: string,
): Promise<StoredPasskey | undefined> {
  const { verifyRegistrationResponse } = await library()
  const verification = await unlessRefused(
    verifyRegistrationResponse({
      response: { ...passkey, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: new URL(publicUrl).origin,
      expectedRPID: hostOf(publicUrl),
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  )
  if (!verification?.verified) return undefined
  const { id, publicKey, counter } = verification.registrationInfo.credential
  return {
    credential_id: id,
    public_key: Buffer.from(publicKey),
    counter,
    transports: passkey.response.transports ?? [],
  }
}

/**
 * Returns the passkey's new counter if the passkey answered this challenge of the portal. With `mustVerifyUser`, the
 * device must have asked for a fingerprint, face or PIN, so that the passkey can replace the password.
 */
export async function readUsedPasskey(
  publicUrl: string,
  passkey: UsedPasskey,
  { challenge, stored, mustVerifyUser }: { challenge: string; stored: StoredPasskey; mustVerifyUser: boolean },
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library()
  const verification = await unlessRefused(
    verifyAuthenticationResponse({
      response: { ...passkey, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: new URL(publicUrl).origin,
      expectedRPID: hostOf(publicUrl),
      credential: {
        id: stored.credential_id,
        publicKey: Uint8Array.from(stored.public_key),
        counter: stored.counter,
        transports: stored.transports,
      },
      requireUserVerification: mustVerifyUser,
    }),
  )
  return verification?.verified ? verification.authenticationInfo.newCounter : undefined
}

/** Loads the library when a passkey is first added or used, because loading takes a third of a second and 26 MB. */
function library() {
  return import('@simplewebauthn/server')
}

/**
 * Turns the library's errors into undefined: the library throws for every fault in an answer, and all answers come from
 * callers.
 */
async function unlessRefused<Result>(verification: Promise<Result>): Promise<Result | undefined> {
  return verification.catch(() => undefined)
}

function hostOf(publicUrl: string): string {
  return new URL(publicUrl).hostname
}

function descriptor({ credential_id, transports }: Known) {
  return { id: credential_id, type: 'public-key' as const, transports }
}
