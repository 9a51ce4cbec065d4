import {
  type ApiKeyStatus,
  endNamedKey,
  generateApiKey,
  listNamedKeys,
  makeNamedKey,
  readApiKeyStatus,
  revokeApiKey,
} from '@portal/contract/api-keys.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../platform/http/authenticate.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { NOTICES } from '../accounts/mail-notice.job.ts'
import { apiBaseUrl } from './api-base-url.ts'
import { findApiKey, findNamedKeys } from './api-keys.queries.ts'
import { generateKey } from './generate-key.ts'
import { makeKey } from './make-key.ts'
import { endKey, revokeKey } from './revoke-key.ts'

export function apiKeyRoutes(mount: Mount, deps: Deps): void {
  const { db } = deps

  mount(readApiKeyStatus, ({ partner }) => keyStatus(partner))
  mount(generateApiKey, async ({ partner, limit, security }) => {
    await limit(NOTICES, partner.id)
    const api_key = await generateKey(deps, partner, security)
    return { ...(await keyStatus(partner)), api_key }
  })
  mount(revokeApiKey, async ({ partner, security }) => {
    await revokeKey(deps, partner.id, security)
    return keyStatus(partner)
  })

  mount(listNamedKeys, async ({ partner }) => ({ keys: await findNamedKeys(db, partner.id) }))
  mount(makeNamedKey, async ({ partner, body, limit, security }) => {
    await limit(NOTICES, partner.id)
    const api_key = await makeKey(deps, partner, body, security)
    return { keys: await findNamedKeys(db, partner.id), api_key }
  })
  mount(endNamedKey, async ({ partner, params, security }) => {
    await endKey(deps, partner.id, params.id, security)
    return { keys: await findNamedKeys(db, partner.id) }
  })

  async function keyStatus(partner: Caller): Promise<ApiKeyStatus> {
    const key = await findApiKey(db, partner.id)
    return {
      has_api_key: key !== undefined,
      api_key_preview: key?.preview ?? null,
      business_name: partner.businessName,
      last_generated: key?.created_at ?? null,
      last_used: key?.last_used_at ?? null,
      base_url: apiBaseUrl(deps.publicUrl),
    }
  }
}
