import { sql } from 'kysely'
import type { Db } from './database.ts'
import type { Secrets } from './secrets.ts'

/** The columns that hold secrets, and the functions that name their rows for `Secrets`. */
const KEPT = [
  { table: 'webhook_endpoints', key: 'partner_id', column: 'secret', nameOf: webhookSecretOf },
  { table: 'webhook_endpoints', key: 'partner_id', column: 'previous_secret', nameOf: webhookSecretOf },
  { table: 'crm_tokens', key: 'connection', column: 'access_token', nameOf: crmTokenOf },
  { table: 'totp_keys', key: 'person_id', column: 'secret', nameOf: totpSecretOf },
] as const

/**
 * An endpoint's secret and its previous secret have the same name, because a secret later becomes the previous secret.
 */
export function webhookSecretOf(partnerId: string): string {
  return `webhook-secret ${partnerId}`
}

export function crmTokenOf(connection: string): string {
  return `crm-token ${connection}`
}

export function totpSecretOf(personId: string): string {
  return `totp-secret ${personId}`
}

const ROWS_A_STEP = 200

export interface Reencrypted {
  encrypted: number
  /** The number of secrets that no key can decrypt. */
  locked: number
}

/**
 * Encrypts all secrets with the first key, except those that are encrypted with it already. Skips a row that changes in
 * the meantime. Can run in several processes at once, and while secrets are being read.
 */
export async function reencryptSecrets(db: Db, secrets: Secrets, signal?: AbortSignal): Promise<Reencrypted> {
  const done: Reencrypted = { encrypted: 0, locked: 0 }
  for (const { table, key, column, nameOf } of KEPT) {
    let after = ''
    for (;;) {
      signal?.throwIfAborted()
      const { rows } = await sql<{ key: string; stored: string | Buffer }>`
        select ${sql.ref(key)}::text as key, ${sql.ref(column)} as stored from ${sql.table(table)}
         where ${sql.ref(key)}::text > ${after} and not starts_with(${asText(table, column)}, ${secrets.prefix})
         order by ${sql.ref(key)}::text limit ${ROWS_A_STEP}`.execute(db)
      for (const row of rows) {
        const next = reencrypt(secrets, row.stored, nameOf(row.key))
        if (next === undefined) done.locked += 1
        else {
          const { numAffectedRows = 0n } = await sql`
            update ${sql.table(table)} set ${sql.ref(column)} = ${next}
             where ${sql.ref(key)}::text = ${row.key} and ${sql.ref(column)} = ${row.stored}`.execute(db)
          done.encrypted += Number(numAffectedRows)
        }
      }
      if (rows.length < ROWS_A_STEP) break
      after = rows.at(-1)?.key ?? ''
    }
  }
  return done
}

/** Turns a binary column into text, so that its prefix can be compared. */
function asText(table: string, column: string) {
  return table === 'totp_keys' ? sql`encode(${sql.ref(column)}, 'escape')` : sql.ref(column)
}

function reencrypt(secrets: Secrets, stored: string | Buffer, row: string): string | Buffer | undefined {
  try {
    if (typeof stored === 'string') return secrets.encrypt(secrets.decrypt(stored, row), row)
    return encryptBytes(secrets, decryptBytes(secrets, stored, row), row)
  } catch {
    return undefined
  }
}

/** Encrypts bytes for a binary column. */
export function encryptBytes(secrets: Secrets, bytes: Buffer, row: string): Buffer {
  return Buffer.from(secrets.encrypt(bytes.toString('base64'), row))
}

/** Decrypts a binary column. Returns values of up to 20 bytes unchanged, because an encrypted value is longer. */
export function decryptBytes(secrets: Secrets, stored: Buffer, row: string): Buffer {
  return stored.length <= 20 ? stored : Buffer.from(secrets.decrypt(stored.toString(), row), 'base64')
}
