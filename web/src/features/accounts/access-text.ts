import type { Access } from '@portal/contract/accounts.ts'
import { formatDate } from '../../format/dates.ts'

/** Names the API key and the webhook URL that existed when the password changed. Undefined if there were none. */
export function accessText({ api_key, webhook_url, revoked }: Access): string | undefined {
  const others = [
    api_key && `the API key ${api_key.preview} made on ${formatDate(api_key.created_at)}`,
    webhook_url && `the webhook URL ${webhook_url}`,
  ].filter((other) => other !== null)
  if (others.length === 0) return undefined
  const text = others.join(' and ')
  return revoked
    ? `Revoked with the old password: ${text}.`
    : `Still working: ${text}. If you did not make them, revoke them on the API Keys and Webhook pages.`
}
