import { readDemo, readProfile, verifySession } from '@portal/contract/accounts.ts'
import { listNamedKeys, readApiKeyStatus } from '@portal/contract/api-keys.ts'
import { readAttention } from '@portal/contract/attention.ts'
import { readStats } from '@portal/contract/dashboard.ts'
import { listDeals, listStages, readDeal, readStageHistory } from '@portal/contract/deals.ts'
import { readNews } from '@portal/contract/inbox.ts'
import { listLeadStatuses, listLeads, readLead, readStatusHistory } from '@portal/contract/leads.ts'
import { PAGE_SIZE } from '@portal/contract/limits.ts'
import { readApiDocs } from '@portal/contract/partner-api.ts'
import { readDealTimeline, readLeadTimeline } from '@portal/contract/timeline.ts'
import { listViews } from '@portal/contract/views.ts'
import { listWebhookLogs, readWebhookUrl } from '@portal/contract/webhooks.ts'

const FIRST_PAGE = `?limit=${PAGE_SIZE}`

/** The call that says who is signed in. The documents of all pages for people who are signed in begin it. */
export const SESSION_CALL = verifySession.path

/**
 * The calls that each page waits for before it shows anything, below the API's address. The document of the page begins
 * them. A page whose address has a query begins only those without one.
 */
export const EARLY_CALLS: Readonly<Record<string, string[]>> = {
  '/login': [readDemo.path],
  '/dashboard': [readAttention.path, readNews.path, readStats.path],
  '/leads': [`${listLeads.path}${FIRST_PAGE}`, listViews.path, listLeadStatuses.path],
  '/leads/$loid': [readLead.path, readLeadTimeline.path, readStatusHistory.path],
  '/deals': [`${listDeals.path}${FIRST_PAGE}`, listViews.path, listStages.path],
  '/deals/$loid': [readDeal.path, readDealTimeline.path, readStageHistory.path],
  '/webhook': [readWebhookUrl.path, `${listWebhookLogs.path}${FIRST_PAGE}`],
  '/api-keys': [readApiKeyStatus.path, listNamedKeys.path],
  '/api-docs': [readApiDocs.path],
  '/profile': [readProfile.path],
}
