import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const DAY_MS = 24 * 60 * 60 * 1_000

// The tags of DER, the encoding of certificates.
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const OBJECT_IDENTIFIER = 0x06
const UTC_TIME = 0x17
const SEQUENCE = 0x30
const DNS_NAME = 0x82
const VERSION = 0xa0
const EXTENSIONS = 0xa3

const ECDSA_WITH_SHA256 = der(SEQUENCE, der(OBJECT_IDENTIFIER, bytes('2a8648ce3d040302')))
const SUBJECT_ALT_NAME = der(OBJECT_IDENTIFIER, bytes('551d11'))
const NOBODY = der(SEQUENCE)

/**
 * Makes a new key and a certificate for `hostname`. No key is checked in, and Node has no function that makes a
 * certificate. Clients that use `cert` as an authority trust the certificate.
 */
export function makeSelfSigned(
  hostname: string,
  validUntil = new Date(Date.now() + DAY_MS),
): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const altNames = der(OCTET_STRING, der(SEQUENCE, der(DNS_NAME, Buffer.from(hostname))))
  const content = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, bytes('02'))),
    der(INTEGER, Buffer.concat([bytes('01'), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    NOBODY,
    der(SEQUENCE, utcTime(new Date(validUntil.getTime() - 2 * DAY_MS)), utcTime(validUntil)),
    NOBODY,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, der(SEQUENCE, der(SEQUENCE, SUBJECT_ALT_NAME, altNames))),
  )
  const signature = der(BIT_STRING, bytes('00'), sign('sha256', content, privateKey))
  const certificate = der(SEQUENCE, content, ECDSA_WITH_SHA256, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
  }
}

/** Encodes tag, length and content. A length of 128 or more is preceded by the number of its bytes. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function utcTime(time: Date): Buffer {
  return der(UTC_TIME, Buffer.from(`${time.toISOString().slice(2, 19).replaceAll(/[-T:]/g, '')}Z`))
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex')
}
