/** Section 8 and the like: what is said when the server gives no text. By method and path, so that no page loads another's contract. */
const DEFAULT_MESSAGES: Record<string, string> = {
  'POST /auth/signup': 'Signup failed',
  'POST /auth/login': 'Login failed',
  'POST /auth/forgot-password': 'Failed to send reset email',
  'POST /auth/reset-password': 'Password reset failed',
  'POST /auth/verify-email': 'Failed to verify the email address',
  'POST /auth/send-verification': 'Failed to send the email',
  'POST /auth/disown': 'Failed to close the account',
  'POST /auth/verify': 'Token verification failed',
  'POST /auth/refresh': 'Token refresh failed',
  'GET /dashboard/stats': 'Failed to fetch dashboard stats',
  'GET /dashboard/recent-activity': 'Failed to fetch recent activity',
  'GET /dashboard/pipeline': 'Failed to fetch pipeline data',
  'GET /dashboard/leads': 'Failed to fetch leads',
  'GET /crm/lead/:id': 'Failed to fetch lead details',
  'GET /dashboard/deals': 'Failed to fetch deals',
  'POST /crm/note/:leadId': 'Failed to add note',
  'POST /crm/note': 'Failed to add note',
  'POST /dashboard/leads': 'Failed to create lead',
  'POST /webhook/deal': 'Failed to create deal',
  'GET /crm/search': 'Search failed',
  'POST /crm/sync': 'Sync failed',
  'POST /dashboard/sync-leads': 'Lead sync failed',
  'POST /dashboard/sync-deals': 'Deal sync failed',
  'POST /dashboard/generate-api-key': 'Failed to generate API key',
  'DELETE /dashboard/revoke-api-key': 'Failed to revoke API key',
  'PUT /dashboard/webhook-url': 'Failed to update webhook URL',
  'POST /dashboard/webhook-secret': 'Failed to rotate the signing secret',
  'POST /dashboard/webhook-test': 'Failed to send test event',
  'POST /dashboard/webhook-logs/:id/redeliver': 'Failed to redeliver',
  'GET /profile': 'Failed to fetch profile',
  'PUT /profile': 'Failed to update profile',
  'PUT /profile/password': 'Failed to change password',
}

export function defaultMessage(route: { method: string; path: string }): string {
  return DEFAULT_MESSAGES[`${route.method} ${route.path}`] ?? 'Unknown error'
}
