import { cleanCode } from '@portal/contract/clean-text.ts'
import { WEBHOOK_URL_NOT_HTTPS } from '@portal/contract/webhooks.ts'

/** The text that section 8 demands. */
export const UPDATE_FAILED = 'Failed to update webhook URL'
export const WEBHOOK_URL_INCOMPLETE = 'Please enter a complete address, such as https://example.com/webhooks'

/** The host names of the local machine. A portal may allow them for tests (D36). */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Checks the address without a request. Only the server can find out which machine the host name leads to. */
export function webhookUrlProblem(text: string): string | undefined {
  const address = cleanCode(text).trim()
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || url.hostname === '') return WEBHOOK_URL_INCOMPLETE
  const isTrial = url.protocol === 'http:' && LOOPBACK.includes(url.hostname)
  return url.protocol === 'https:' || isTrial ? undefined : WEBHOOK_URL_NOT_HTTPS
}
