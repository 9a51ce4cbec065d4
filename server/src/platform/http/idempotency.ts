import { createHash, createHmac } from 'node:crypto'
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '@portal/contract/limits.ts'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { compiler, type Db, type Tx } from '../db/database.ts'
import { removeOlder } from '../db/remove-older.ts'
import { sendNamed } from '../db/send-named.ts'
import { type Write, writeTogether } from '../db/write-together.ts'
import { Conflict, Invalid, PortalError } from '../errors.ts'

const NOBODY = '00000000-0000-0000-0000-000000000000'
export const REMEMBERED_HOURS = 24
/** For this long, a system's request without an `Idempotency-Key` is taken for a repeat of the same request (D9a). */
export const REPEAT_SECONDS = 10

interface Answered {
  answer: unknown
  /** True if an earlier request got this answer first. */
  isReplayed: boolean
}

/** Finds an earlier answer to this request, if that answer is already committed. */
export async function findFirstAnswer(
  { reads, clock }: Pick<Deps, 'reads' | 'clock'>,
  request: FastifyRequest,
  partnerId: string | undefined,
): Promise<{ answer: unknown } | undefined> {
  const claim = claimOf(request, partnerId)
  if (!claim) return undefined
  const { scope, key_hash, request_hash, former_hash } = claim
  const [first] = await sendNamed<{ answer: unknown }>(reads, {
    sql: `select answer from idempotency_keys
           where scope = $1 and key_hash = $2 and request_hash in ($3, $4) and created_at >= $5`,
    parameters: [scope, key_hash, request_hash, former_hash, rememberedSince(claim, clock.now())],
  })
  return first
}

/**
 * Runs `work` in one transaction. With an `Idempotency-Key`, a repeat within 24 hours gets the first answer again, and
 * a different request with the same key is a conflict (D9). A system that repeats a request without a key within ten
 * seconds also gets the first answer (D9a). Identical requests that arrive together wait until the
 * first one commits, so the work is done once. A failure is not remembered, because nothing was created.
 */
export async function answerOnce(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  request: FastifyRequest,
  partnerId: string | undefined,
  work: (tx: Tx) => Promise<unknown>,
): Promise<Answered> {
  const claim = claimOf(request, partnerId)
  return db.transaction().execute(async (tx) => {
    if (!claim) return { answer: await work(tx), isReplayed: false }

    const remembered = await claimKey(tx, claim, clock.now())
    if (remembered) {
      if (![claim.request_hash, claim.former_hash].some((hash) => remembered.request_hash.equals(hash))) {
        throw new Conflict('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with another request')
      }
      return { answer: remembered.answer, isReplayed: true }
    }
    const answer = await work(tx)
    await tx
      .updateTable('idempotency_keys')
      .set({ answer: JSON.stringify(answer) })
      .where('scope', '=', claim.scope)
      .where('key_hash', '=', claim.key_hash)
      .execute()
    return { answer, isReplayed: false }
  })
}

/** A call's answer, and the statements that write what the call creates. */
export interface Creation<Answer> {
  answer: Answer
  writes: readonly Write[]
}

/** PostgreSQL's code for a row whose key another row has. */
const TAKEN = '23505'

/** Like `answerOnce`, for work that only writes: one statement, which is its own transaction, writes everything. */
export async function createOnce(
  { db, pool, clock }: Pick<Deps, 'db' | 'pool' | 'clock'>,
  request: FastifyRequest,
  partnerId: string | undefined,
  { answer, writes }: Creation<unknown>,
): Promise<Answered> {
  const claim = claimOf(request, partnerId)
  try {
    await writeTogether(pool, claim ? [insertOfAnswer(claim, answer, clock.now()), ...writes] : writes)
    return { answer, isReplayed: false }
  } catch (error) {
    if (!(claim && error instanceof Error && 'code' in error && error.code === TAKEN)) throw error
  }
  // An identical request was faster, or the key was used before and may be used again.
  return answerOnce({ db, clock }, request, partnerId, async (tx) => {
    await writeTogether(tx, writes)
    return answer
  })
}

function insertOfAnswer({ scope, key_hash, request_hash }: Claim, answer: unknown, now: Date): Write {
  return compiler
    .insertInto('idempotency_keys')
    .values({ scope, key_hash, request_hash, created_at: now.toISOString(), answer: JSON.stringify(answer) })
    .compile()
}

/**
 * Claims the key. Returns the answer that is stored under the key, or undefined if this transaction must do the work.
 */
async function claimKey(tx: Tx, claim: Claim, now: Date) {
  const { scope, key_hash, request_hash } = claim
  const created_at = now.toISOString()
  const claimed = await tx
    .insertInto('idempotency_keys')
    .values({ scope, key_hash, request_hash, created_at })
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'key_hash'])
        .doUpdateSet({ request_hash, created_at, answer: null })
        .where('idempotency_keys.created_at', '<', rememberedSince(claim, now)),
    )
    .executeTakeFirst()
  if (claimed.numInsertedOrUpdatedRows === 1n) return undefined
  return tx
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'answer'])
    .where('scope', '=', claim.scope)
    .where('key_hash', '=', claim.key_hash)
    .executeTakeFirst()
}

/** Claims a word that works once in 24 hours. Returns false if it was claimed before. */
export async function claimOnce(tx: Tx, scope: string, word: string, now: Date): Promise<boolean> {
  const hash = createHash('sha256').update(`once ${word}`).digest()
  const claimed = await tx
    .insertInto('idempotency_keys')
    .values({ scope, key_hash: hash, request_hash: hash, created_at: now.toISOString() })
    .onConflict((conflict) => conflict.columns(['scope', 'key_hash']).doNothing())
    .executeTakeFirst()
  return claimed.numInsertedOrUpdatedRows === 1n
}

/** Removes answers that are too old to be repeated, at most `rowsMax` of them. Returns how many it removed. */
export function removeRememberedAnswers(db: Db, before: string, rowsMax: number): Promise<number> {
  return removeOlder(db, { table: 'idempotency_keys', key: ['scope', 'key_hash'], time: 'created_at' }, before, rowsMax)
}

interface Claim {
  scope: string
  key_hash: Buffer
  request_hash: Buffer
  /** The hash that a version before 0.3.0 stored, for which the order of a body's fields counted. */
  former_hash: Buffer
  rememberedSeconds: number
}

/** Returns undefined if the request has no key and does not come from a system. */
function claimOf(request: FastifyRequest, partnerId: string | undefined): Claim | undefined {
  const scope = partnerId ?? NOBODY
  const key = readKey(request)
  if (key !== undefined) {
    return {
      scope,
      key_hash: createHash('sha256').update(key).digest(),
      request_hash: hashRequest(request, key, inOneOrder),
      former_hash: hashRequest(request, key, undefined),
      rememberedSeconds: REMEMBERED_HOURS * 3_600,
    }
  }
  if (!request.caller || !('keyHash' in request.caller)) return undefined
  // The request is its own key, hashed with the API key, which the database does not have.
  const hash = hashRequest(request, request.headers.authorization ?? '', inOneOrder)
  return { scope, key_hash: hash, request_hash: hash, former_hash: hash, rememberedSeconds: REPEAT_SECONDS }
}

function rememberedSince({ rememberedSeconds }: Claim, now: Date): string {
  return new Date(now.getTime() - rememberedSeconds * 1_000).toISOString()
}

function readKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || key.length < 1 || key.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
    const text = `Idempotency-Key must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`
    throw new Invalid('VALIDATION', text, { 'Idempotency-Key': text })
  }
  return key
}

/**
 * The hash is keyed with the caller's Idempotency-Key or API key. The database has only a hash of that key, so nobody can guess a
 * password in a body from the stored hash.
 */
function hashRequest(request: FastifyRequest, key: string, order: typeof inOneOrder | undefined): Buffer {
  return createHmac('sha256', key)
    .update(textOf([request.method, request.url, request.body ?? null], order))
    .digest()
}

function textOf(request: unknown[], order: typeof inOneOrder | undefined): string {
  try {
    return JSON.stringify(request, order)
  } catch (cause) {
    throw new PortalError(400, 'MALFORMED_REQUEST', 'The body is nested too deeply.', { cause })
  }
}

/** Sorts the fields of an object, whose order means nothing in JSON. */
function inOneOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
