import { createHash, createHmac } from 'node:crypto'
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '@portal/contract/limits.ts'
import type { FastifyRequest } from 'fastify'
import type { Db, Tx } from '../db/database.ts'
import type { Deps } from '../deps.ts'
import { Conflict, Invalid } from '../errors.ts'

const NOBODY = '00000000-0000-0000-0000-000000000000'
export const REMEMBERED_HOURS = 24

interface Answered {
  answer: unknown
  /** True if an earlier request got this answer first. */
  isReplayed: boolean
}

/**
 * Finds an earlier answer to this request under its `Idempotency-Key`, if that answer is already committed.
 */
export async function findFirstAnswer(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  request: FastifyRequest,
  partnerId: string | undefined,
): Promise<{ answer: unknown } | undefined> {
  const claim = claimOf(request, partnerId)
  if (!claim) return undefined
  return db
    .selectFrom('idempotency_keys')
    .select('answer')
    .where('scope', '=', claim.scope)
    .where('key_hash', '=', claim.key_hash)
    .where('request_hash', '=', claim.request_hash)
    .where('created_at', '>=', rememberedSince(clock.now()))
    .executeTakeFirst()
}

/**
 * Runs `work` in one transaction. With an `Idempotency-Key`, a repeat within 24 hours gets the first answer again, and
 * a different request with the same key is a conflict (D9). Identical requests that arrive together wait until the
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
      if (!remembered.request_hash.equals(claim.request_hash)) {
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

/**
 * Claims the key. Returns the answer that is stored under the key, or undefined if this transaction must do the work.
 */
async function claimKey(tx: Tx, claim: Claim, now: Date) {
  await tx
    .deleteFrom('idempotency_keys')
    .where('scope', '=', claim.scope)
    .where('key_hash', '=', claim.key_hash)
    .where('created_at', '<', rememberedSince(now))
    .execute()
  const claimed = await tx
    .insertInto('idempotency_keys')
    .values({ ...claim, created_at: now.toISOString() })
    .onConflict((conflict) => conflict.columns(['scope', 'key_hash']).doNothing())
    .executeTakeFirst()
  if (claimed.numInsertedOrUpdatedRows === 1n) return undefined
  return tx
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'answer'])
    .where('scope', '=', claim.scope)
    .where('key_hash', '=', claim.key_hash)
    .executeTakeFirst()
}

/** Removes answers that are too old to be repeated, at most `rowsMax` of them. Returns how many it removed. */
export async function removeRememberedAnswers(db: Db, before: string, rowsMax: number): Promise<number> {
  const removal = await db
    .deleteFrom('idempotency_keys')
    .where((eb) =>
      eb(
        eb.refTuple('scope', 'key_hash'),
        'in',
        eb
          .selectFrom('idempotency_keys')
          .select(['scope', 'key_hash'])
          .where('created_at', '<', before)
          .limit(rowsMax)
          .$asTuple('scope', 'key_hash'),
      ),
    )
    .executeTakeFirst()
  return Number(removal.numDeletedRows)
}

interface Claim {
  scope: string
  key_hash: Buffer
  request_hash: Buffer
}

/** Returns undefined if the request has no key. */
function claimOf(request: FastifyRequest, partnerId: string | undefined): Claim | undefined {
  const key = readKey(request)
  if (key === undefined) return undefined
  return {
    scope: partnerId ?? NOBODY,
    key_hash: createHash('sha256').update(key).digest(),
    request_hash: hashRequest(request, key),
  }
}

function rememberedSince(now: Date): string {
  return new Date(now.getTime() - REMEMBERED_HOURS * 3_600_000).toISOString()
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
 * The hash is keyed with the caller's Idempotency-Key. The database has only a hash of that key, so nobody can guess a
 * password in a body from the stored hash.
 */
function hashRequest(request: FastifyRequest, key: string): Buffer {
  const text = JSON.stringify([request.method, request.url, request.body ?? null])
  return createHmac('sha256', key).update(text).digest()
}
