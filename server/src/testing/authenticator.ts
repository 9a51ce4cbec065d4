import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { CreatedPasskey, PasskeyCreation, PasskeyQuestion, UsedPasskey } from '@portal/contract/second-factor.ts'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40
/** The AAGUID, which would name the make of the device. */
const NO_MAKE = Buffer.alloc(16)

/** A device with one passkey, as a browser at `origin` would use it. */
export function openAuthenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  let counter = 0

  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

  function authenticatorData(rpId: string, flags: number, atCount = counter + 1): Buffer {
    const count = Buffer.alloc(4)
    counter = atCount
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count])
  }

  return {
    create({ rp, challenge }: PasskeyCreation): CreatedPasskey {
      // The public key in COSE form: an elliptic curve key for ES256 on P-256, and its point.
      const key = new Map<number, number | Uint8Array<ArrayBuffer>>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Uint8Array.from(Buffer.from(x, 'base64url'))],
        [-3, Uint8Array.from(Buffer.from(y, 'base64url'))],
      ])
      const authData = Buffer.concat([
        authenticatorData(rp.id, USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL),
        NO_MAKE,
        Buffer.from([0, id.length]),
        id,
        isoCBOR.encode(key),
      ])
      const attestation = new Map<string, string | Map<string, string> | Uint8Array<ArrayBuffer>>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', Uint8Array.from(authData)],
      ])
      return {
        ...credentialOf(id),
        response: {
          clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
          attestationObject: Buffer.from(isoCBOR.encode(attestation)).toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    /**
     * Signs the challenge. `isVerified` means that the device checked a finger, face or PIN. `count` is the counter of
     * a copied device.
     */
    use(
      { rpId, challenge }: PasskeyQuestion,
      { isVerified = true, count }: { isVerified?: boolean; count?: number } = {},
    ): UsedPasskey {
      const data = authenticatorData(rpId, isVerified ? USER_PRESENT | USER_VERIFIED : USER_PRESENT, count)
      const client = clientData('webauthn.get', challenge)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return {
        ...credentialOf(id),
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      }
    },
  }
}

function credentialOf(id: Buffer) {
  const text = id.toString('base64url')
  return { id: text, rawId: text, type: 'public-key' as const }
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}
