import { stat } from 'node:fs/promises'
import { TOTP } from 'otpauth'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { countLockWaits } from '../../testing/lock-waits.ts'
import { openDataFolder } from '../../testing/portal-process.ts'
import { startReceiver } from '../../testing/receiver.ts'
import { startPortal, type TestPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { reencryptSecrets } from './reencrypt-secrets.ts'
import { openSecrets, readSecretsKeys } from './secrets.ts'

const WITH_WEBHOOKS = { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } }

async function storedSecrets({ deps: { pool } }: TestPortal): Promise<string[]> {
  const { rows } = await pool.query(`
    select secret as stored from webhook_endpoints union all
    select previous_secret from webhook_endpoints where previous_secret is not null union all
    select encode(secret, 'escape') from totp_keys union all
    select access_token from crm_tokens where access_token is not null`)
  return rows.map(({ stored }) => String(stored))
}

test('webhook secrets, TOTP keys and the CRM’s token are encrypted in the database, and still work', async () => {
  await using receiver = await startReceiver()
  await using portal = await startPortal({ withCrm: true, ...WITH_WEBHOOKS })
  const partner = await portal.newPartner()
  const set = await partner.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  expect((await partner.get('/dashboard/webhook-url')).body.data.secret_preview).toBe(
    `${set.body.data.secret.slice(0, 8)}...`,
  )
  const rotated = await partner.post('/dashboard/webhook-secret')
  const { secret } = (await partner.post('/account/totp', {})).body.data
  const code = new TOTP({ secret }).generate()
  expect((await partner.post('/account/totp/confirm', { code })).status).toBe(200)
  const { loid } = await partner.submitLead()
  await partner.pushedLead(loid)

  const stored = await storedSecrets(portal)
  expect(stored.length).toBeGreaterThanOrEqual(4)
  for (const one of stored) expect(one).toMatch(/^enc:v1:[0-9a-f]{12}:/)
  const [delivery] = await receiver.first(1)
  for (const { body } of [set, rotated]) {
    expect(() => new Webhook(body.data.secret).verify(delivery?.text ?? '', delivery?.headers ?? {})).not.toThrow()
  }
})

test('secrets that an older version did not encrypt still work, and the next start encrypts them', async () => {
  await using receiver = await startReceiver()
  await using portal = await startPortal(WITH_WEBHOOKS)
  const partner = await portal.newPartner()
  const secret = `whsec_${Buffer.alloc(32, 's').toString('base64')}`
  await partner.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  await portal.deps.db.updateTable('webhook_endpoints').set({ secret }).execute()
  await partner.post('/dashboard/webhook-test')
  const verify = async (count: number) => {
    const delivery = (await receiver.first(count)).at(-1)
    return new Webhook(secret).verify(delivery?.text ?? '', delivery?.headers ?? {})
  }
  await verify(1)
  await using later = await startPortal({ ...WITH_WEBHOOKS, on: portal })
  expect((await storedSecrets(later)).every((one) => one.startsWith('enc:'))).toBe(true)
  await partner.post('/dashboard/webhook-test')
  await verify(2)
})

test('a new key replaces the old key, and a secret can be decrypted only for its own row', async () => {
  await using portal = await startPortal(WITH_WEBHOOKS)
  const { db, secrets } = portal.deps
  const [ada, bob] = [await portal.newPartner(), await portal.newPartner()]
  for (const partner of [ada, bob])
    await partner.put('/dashboard/webhook-url', { webhook_url: 'http://127.0.0.1:9999/hook' })
  const [old, next] = [Buffer.alloc(32, 'k'), Buffer.alloc(32, 'n')].map((bytes) => ({
    id: bytes.toString().slice(0, 1),
    bytes,
  }))
  if (!old || !next) throw new Error('two keys')

  const alone = openSecrets([next])
  expect(await reencryptSecrets(db, alone)).toEqual({ encrypted: 0, locked: 2 })
  const before = await storedSecrets(portal)
  const both = openSecrets([next, old])
  const { running } = await db.transaction().execute(async (tx) => {
    const secret = both.encrypt('whsec_changed', `webhook-secret ${ada.id}`)
    await tx.updateTable('webhook_endpoints').set({ secret }).where('partner_id', '=', ada.id).execute()
    const begun = reencryptSecrets(db, both)
    await waitFor('a write to the changed row', async () => (await countLockWaits(tx)) > 0)
    return { running: begun }
  })
  // The row that changed in the meantime was skipped.
  expect(await running).toEqual({ encrypted: 1, locked: 0 })
  expect(await reencryptSecrets(db, alone)).toEqual({ encrypted: 0, locked: 0 })
  const after = await storedSecrets(portal)
  expect(after).not.toEqual(before)
  expect(() => secrets.decrypt(after[0] ?? '', `webhook-secret ${ada.id}`)).toThrow(/SECRETS_KEY lacks the key/)

  const [{ secret: adas } = { secret: '' }] = await db
    .selectFrom('webhook_endpoints')
    .select('secret')
    .where('partner_id', '=', ada.id)
    .execute()
  expect(alone.decrypt(adas, `webhook-secret ${ada.id}`)).toMatch(/^whsec_/)
  expect(() => alone.decrypt(adas, `webhook-secret ${bob.id}`)).toThrow(/authenticate/)
})

test('while processes change to a new key one by one, those that know it as their second key still sign deliveries', async () => {
  await using receiver = await startReceiver()
  const [old, next] = ['k', 'n'].map((letter) => Buffer.alloc(32, letter).toString('base64'))
  await using portal = await startPortal({ env: { ...WITH_WEBHOOKS.env, SECRETS_KEY: `${old},new:${next}` } })
  const partner = await portal.newPartner()
  const { secret } = (await partner.put('/dashboard/webhook-url', { webhook_url: receiver.url })).body.data
  await using changed = await startPortal({ env: { ROLE: 'web', SECRETS_KEY: `new:${next},${old}` }, on: portal })
  const { prefix } = changed.deps.secrets
  expect((await storedSecrets(changed)).every((one) => one.startsWith(prefix))).toBe(true)
  await partner.post('/dashboard/webhook-test')
  const [delivery] = await receiver.first(1)
  expect(() => new Webhook(secret).verify(delivery?.text ?? '', delivery?.headers ?? {})).not.toThrow()
})

test('in development a key is made once, in a file that only its owner can read, and a command uses it', async () => {
  await using folder = await openDataFolder()
  const settings = { dataDir: folder.path }
  const [first, second] = await Promise.all([readSecretsKeys(settings), readSecretsKeys(settings)])
  expect(first).toEqual(second)
  expect((await stat(`${folder.path}/secrets.key`)).mode & 0o777).toBe(0o600)
  expect(await folder.command(['secrets', 'rotate'])).toEqual({
    code: 0,
    out: 'Secrets encrypted with the first key: 0\n',
    err: '',
  })
})
