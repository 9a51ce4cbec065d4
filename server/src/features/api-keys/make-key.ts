import type { NewNamedKey } from '@portal/contract/api-keys.ts'
import { fold } from '@portal/contract/fold.ts'
import { rightsText } from '@portal/contract/key-rights.ts'
import { NAMED_KEYS_MAX } from '@portal/contract/limits.ts'
import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/in-transaction.ts'
import { Conflict, Invalid } from '../../platform/errors.ts'
import type { SessionCaller } from '../../platform/http/authenticate.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { lockPartner } from '../../records/partners/partners.queries.ts'
import { lockCaller } from '../accounts/lock-caller.ts'
import { enqueueNoticeToOwners } from '../accounts/mail-notice.job.ts'
import { findNamedKeys, insertNamedKey } from './api-keys.queries.ts'
import { hashKey, keyPreview, newApiKey } from './key-format.ts'

/** Makes a key with a name and rights, and returns it (D84). The business's other keys keep working. */
export async function makeKey(
  deps: Pick<Deps, 'db' | 'clock' | 'jobs'>,
  caller: SessionCaller,
  { name, rights }: NewNamedKey,
  security: NoteSecurity,
): Promise<string> {
  const key = newApiKey()
  await inTransaction(deps.db, async (tx) => {
    // Two owners who make keys at once must not pass the limit.
    await lockPartner(tx, caller.id)
    await lockCaller(tx, deps, caller)
    const known = await findNamedKeys(tx, caller.id)
    if (known.some((one) => fold(one.name) === fold(name))) {
      const text = 'You already have a key with this name'
      throw new Invalid('VALIDATION', text, { name: text })
    }
    if (known.length >= NAMED_KEYS_MAX) {
      throw new Conflict('CONFLICT', `You already have ${NAMED_KEYS_MAX} keys. End one before you make another.`)
    }
    const id = await insertNamedKey(tx, caller.id, {
      name,
      rights,
      key_hash: hashKey(key),
      preview: keyPreview(key),
      created_at: deps.clock.now().toISOString(),
      made_by: caller.personId,
    })
    await enqueueNoticeToOwners(tx, deps, caller.id, 'api-key-made', { key: name })
    await security(tx, 'api-key-made', { subject: { id, name }, detail: `It ${rightsText(rights)}` })
  })
  return key
}
