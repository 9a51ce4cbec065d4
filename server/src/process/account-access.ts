import { rightsText } from '@portal/contract/key-rights.ts'
import { personName } from '@portal/contract/person-name.ts'
import { ROLE_NAMES } from '@portal/contract/roles.ts'
import type { Deps } from '../deps.ts'
import type { AccountAccess } from '../features/accounts/access.ts'
import { findApiKey, findNamedKeys, removeApiKey, removeNamedKey } from '../features/api-keys/api-keys.queries.ts'
import { changePersonIn } from '../features/team/change-team-person.ts'
import { findInvitations, removeInvitation } from '../features/team/invitations.queries.ts'
import { removeWebhookUrl } from '../features/webhooks/change-endpoint.ts'
import { findEndpoint } from '../features/webhooks/endpoints.queries.ts'

/** The id of the specification's one key, in a list of what can get in. */
const ONE_KEY = 'api-key'

/** Finds and removes the access that belongs to a partner, for the accounts feature. */
export function createAccountAccess(deps: Pick<Deps, 'clock' | 'jobs'>): AccountAccess {
  return {
    async find(db, partnerId) {
      const key = await findApiKey(db, partnerId)
      const keys = await findNamedKeys(db, partnerId)
      const endpoint = await findEndpoint(db, partnerId)
      const invitations = await findInvitations(db, partnerId)
      const none = { detail: null, last_used_at: null }
      return [
        ...(key
          ? [
              {
                ...none,
                kind: 'api-key' as const,
                id: ONE_KEY,
                name: key.preview,
                added_at: key.created_at,
                last_used_at: key.last_used_at,
              },
            ]
          : []),
        ...keys.map(({ id, name, preview, rights, created_at, last_used_at }) => ({
          kind: 'api-key' as const,
          id,
          name,
          detail: `${preview}, ${rightsText(rights)}`,
          added_at: created_at,
          last_used_at,
        })),
        ...(endpoint
          ? [
              {
                ...none,
                kind: 'webhook' as const,
                id: 'webhook',
                name: new URL(endpoint.url).host,
                added_at: endpoint.updated_at,
              },
            ]
          : []),
        ...invitations.map((invitation) => ({
          ...none,
          kind: 'invitation' as const,
          id: invitation.id,
          name: personName(invitation),
          detail: `${invitation.email}, ${ROLE_NAMES[invitation.role].toLowerCase()}`,
          added_at: invitation.created_at,
        })),
      ]
    },
    async remove(tx, { partner_id: id, business_name }, ref, { security }) {
      if (ref.kind === 'api-key') {
        await (ref.id === ONE_KEY ? removeApiKey(tx, id) : removeNamedKey(tx, id, ref.id))
      }
      if (ref.kind === 'webhook') await removeWebhookUrl(tx, id)
      if (ref.kind === 'invitation') await removeInvitation(tx, id, ref.id)
      if (ref.kind === 'person') {
        await changePersonIn(tx, deps, { id, businessName: business_name }, ref.id, { is_active: false }, security)
      }
    },
  }
}
