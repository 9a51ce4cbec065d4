import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../config.ts'
import type { SecretsKey } from '../setting-values.ts'

/**
 * Encrypts the database's secrets (D96). `row` names the row: text that was encrypted for one row cannot be decrypted
 * for another.
 */
export interface Secrets {
  encrypt(text: string, row: string): string
  /** Returns unencrypted text unchanged. Throws if no key can decrypt the text. */
  decrypt(stored: string, row: string): string
  /**
   * Derives 256 bits from this name, as text for a URL. Nobody without the key can guess them, and they stay the same
   * until the first key changes.
   */
  derive(name: string): string
  /** The prefix of everything that the first key has encrypted. */
  prefix: string
}

const MARK = 'enc:v1:'
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function openSecrets(keys: readonly SecretsKey[]): Secrets {
  const known = new Map(keys.map(({ bytes }) => [fingerprint(bytes), bytes]))
  const [[name, key] = []] = known
  if (!name || !key) throw new Error('There is no key for secrets')
  const prefix = `${MARK}${name}:`
  return {
    prefix,
    encrypt(text, row) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(row))
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${prefix}${sealed.toString('base64')}`
    },
    decrypt(stored, row) {
      if (!stored.startsWith(MARK)) return stored
      const [by = '', base64 = ''] = stored.slice(MARK.length).split(':')
      const opener = known.get(by)
      if (!opener) throw new Error(`SECRETS_KEY lacks the key that a secret is encrypted with (${by})`)
      const sealed = Buffer.from(base64, 'base64')
      const decipher = createDecipheriv(CIPHER, opener, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(row)).setAuthTag(sealed.subarray(-TAG_BYTES))
      return decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
    derive: (name) => createHmac('sha256', key).update(name).digest('base64url'),
  }
}

/** The keys from the settings. In development, one key is made once in the data folder. */
export async function readSecretsKeys({
  secretsKeys,
  dataDir,
}: Pick<Settings, 'secretsKeys' | 'dataDir'>): Promise<readonly SecretsKey[]> {
  if (secretsKeys) return secretsKeys
  const file = join(dataDir, 'secrets.key')
  const base64 = (await readIfThere(file)) ?? (await makeKey(dataDir, file))
  return [{ id: 'key', bytes: Buffer.from(base64, 'base64') }]
}

/** If two processes start at once, both get the key of the faster one. */
async function makeKey(dataDir: string, file: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o711 })
  const own = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(own, 'w', 0o600)
  try {
    await handle.writeFile(randomBytes(32).toString('base64'))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await link(own, file).catch(() => undefined)
  await rm(own)
  return readFile(file, 'utf8')
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * The part of each secret's prefix that identifies its key. It does not depend on the operator's names for the keys.
 */
function fingerprint(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 12)
}
