import type { AccountAccess } from './features/accounts/access.ts'
import { findApiKey, removeApiKey } from './features/api-keys/api-keys.queries.ts'
import { removeWebhookUrl } from './features/webhooks/change-endpoint.ts'
import { findEndpoint } from './features/webhooks/endpoints.queries.ts'

/** Finds and revokes a partner's API key and webhook URL for the accounts feature. */
export const accountAccess: AccountAccess = {
  async find(tx, partnerId) {
    const key = await findApiKey(tx, partnerId)
    const endpoint = await findEndpoint(tx, partnerId)
    return {
      api_key: key ? { preview: key.preview, created_at: key.created_at } : null,
      webhook_url: endpoint?.url ?? null,
    }
  },
  async revoke(tx, partnerId) {
    await removeApiKey(tx, partnerId)
    await removeWebhookUrl(tx, partnerId)
  },
}
