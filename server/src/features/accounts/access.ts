import { ACCESS_KIND_NAMES, type AccessItem, type AccessRef, RECENT_ACCESS_DAYS } from '@portal/contract/access.ts'
import { personName } from '@portal/contract/person-name.ts'
import { ROLE_NAMES } from '@portal/contract/roles.ts'
import type { Deps } from '../../deps.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { isId } from '../../platform/db/ids.ts'
import type { NoteSecurity } from '../../platform/http/security-events.ts'
import { findOtherPeople, type Person } from './people.queries.ts'
import { findPasskeys, removePasskey } from './second-factor/passkeys.queries.ts'
import { findFactors, removeTotp } from './second-factor/second-factor.queries.ts'
import { findSessions } from './sessions.queries.ts'

type FoundAccess = Omit<AccessItem, 'is_recent' | 'is_this_one'>

/**
 * Finds and removes the API keys, the webhook URL, people and invitations, which give access to a partner's data. They
 * belong to other features, so app.ts passes these functions in.
 */
export interface AccountAccess {
  /** The API keys, the webhook URL and the open invitations. */
  find(db: Db, partnerId: string): Promise<FoundAccess[]>
  /** Does nothing if the partner has nothing of this kind with this id. The caller holds the partner's lock. */
  remove(tx: Tx, partner: Pick<Person, 'partner_id' | 'business_name'>, ref: AccessRef, call: RemoveCall): Promise<void>
}

interface RemoveCall {
  security: NoteSecurity
}

/**
 * Everything that can get in (D130): the person's sessions, passkeys and app, and what belongs to the business if the
 * person is an owner. `tokenHash` is the hash of the caller's token.
 */
export async function findAccess(
  db: Db,
  { access, clock }: { access: AccountAccess; clock: Deps['clock'] },
  { id, partner_id, role }: Pick<Person, 'id' | 'partner_id' | 'role'>,
  tokenHash: Buffer = Buffer.alloc(0),
): Promise<AccessItem[]> {
  const now = clock.now()
  const sessions = await findSessions(db, id, tokenHash, now)
  const { totp_added_at } = await findFactors(db, id)
  const passkeys = await findPasskeys(db, id)
  const found: FoundAccess[] = [
    ...sessions.map((session) => ({
      kind: 'session' as const,
      id: session.id,
      name: session.browser ?? 'Unknown browser',
      detail: session.ip,
      added_at: session.first_seen_at,
      last_used_at: session.last_seen_at,
    })),
    ...passkeys.map((passkey) => ({
      kind: 'passkey' as const,
      id: passkey.id,
      name: passkey.name,
      detail: null,
      added_at: passkey.created_at,
      last_used_at: passkey.last_used_at,
    })),
  ]
  if (totp_added_at !== null) found.push({ ...ONLY_APP, added_at: totp_added_at })
  if (role === 'owner') {
    found.push(...(await access.find(db, partner_id)))
    for (const person of await findOtherPeople(db, partner_id, id)) {
      found.push({
        kind: 'person',
        id: person.id,
        name: personName(person),
        detail: `${person.email}, ${ROLE_NAMES[person.role].toLowerCase()}`,
        added_at: person.created_at,
        last_used_at: person.last_seen_at,
      })
    }
  }
  const recentSince = new Date(now.getTime() - RECENT_ACCESS_DAYS * 24 * 3_600_000).toISOString()
  const thisOne = sessions.find(({ is_this_one }) => is_this_one)?.id
  return found.map((item) => ({
    ...item,
    is_recent: item.added_at >= recentSince,
    is_this_one: item.kind === 'session' && item.id === thisOne,
  }))
}

const ONLY_APP = { kind: 'app', id: 'app', name: 'Authenticator app', detail: null, last_used_at: null } as const

/**
 * Removes these items of the person and, if the person is an owner, of the business. Leaves sessions alone: a new
 * password ends them. The caller holds the locks of the partner and the person.
 */
export async function removeAccess(
  tx: Tx,
  { access, security }: { access: AccountAccess } & RemoveCall,
  person: Pick<Person, 'id' | 'partner_id' | 'business_name'>,
  items: readonly AccessItem[],
): Promise<void> {
  for (const item of items) {
    if (item.kind === 'passkey' && isId(item.id)) await removePasskey(tx, person.id, item.id)
    else if (item.kind === 'app') await removeTotp(tx, person.id)
    else if (item.kind !== 'session') await access.remove(tx, person, item, { security })
  }
}

/** The security log's text about removed access; undefined if nothing was removed. */
export function removedText(removed: readonly AccessItem[]): string | undefined {
  const kinds = new Set(removed.map(({ kind }) => ACCESS_KIND_NAMES[kind]))
  return kinds.size > 0 ? `Removed with it: ${[...kinds].join(', ')}` : undefined
}
