import type { QueryClient } from '@tanstack/react-query'
import type { Path } from '../router/address.ts'
import { createRouter, type Guard, type PageCode, type Route } from '../router/router.ts'
import { requireNoSession, requirePayments, requireRole, requireSession, toDashboard } from './guards.ts'
import { PageCrash } from './page-crash.tsx'
import { PagePending } from './page-pending.tsx'
import { paths } from './paths.ts'
import { textOf } from './search-text.ts'

type Load = Route['load']

const loadFrame = async () => {
  const { Layout, startLayout } = await import('./layout/layout.tsx')
  return { Frame: Layout, start: startLayout }
}

const open = (load: Load, ...guards: Guard[]): Route => ({ guards, load })
const signedOut = (load: Load): Route => ({ guards: [requireNoSession], load })
const signedIn = (load: Load, ...guards: Guard[]): Route => ({ guards: [requireSession, ...guards], loadFrame, load })

const requireQuery: Guard = ({ location }) => (textOf(location.search['q']) ? undefined : toDashboard())

/** Mails of earlier versions link to the notifications in this way. */
const leadToNotifications: Guard = ({ location }) =>
  location.hash === 'notifications' ? paths.notifications : undefined

/** Loads a page from the file that exports it under these names. */
function page<Page extends string, Start extends string = never>(
  load: () => Promise<Record<Page, PageCode['Page']> & Record<Start, PageCode['start']>>,
  name: Page,
  start?: Start,
): Load {
  return async () => {
    const code = await load()
    return { Page: code[name], ...(start !== undefined && { start: code[start] }) }
  }
}

/**
 * Every path of the app, under the guard that protects it. A page's `start` begins the page's calls as soon as the
 * page's code has loaded, which can be while the pointer is on a link to it. Nothing waits for the calls, because the
 * page shows their progress.
 */
const routes: Readonly<Record<Path, Route>> = {
  '/verify-email': open(page(() => import('../features/accounts/verify-email-page.tsx'), 'VerifyEmailPage')),
  '/disown': open(page(() => import('../features/accounts/disown-page.tsx'), 'DisownPage')),
  '/unsubscribe': open(page(() => import('../features/accounts/unsubscribe-page.tsx'), 'UnsubscribePage')),
  // This page has no layout around it, because the server refuses the layout's calls until there is a second factor.
  '/second-factor': open(
    page(() => import('../features/accounts/second-factor-page.tsx'), 'SecondFactorPage'),
    requireSession,
  ),
  '/confirm-email': open(page(() => import('../features/accounts/confirm-email-page.tsx'), 'ConfirmEmailPage')),
  '/undo-email': open(page(() => import('../features/accounts/undo-email-page.tsx'), 'UndoEmailPage')),
  '/invite': open(page(() => import('../features/accounts/invite-page.tsx'), 'InvitePage')),
  '/login': signedOut(page(() => import('../features/accounts/login-page.tsx'), 'LoginPage', 'startLogin')),
  '/signup': signedOut(page(() => import('../features/accounts/sign-up-page.tsx'), 'SignUpPage')),
  '/forgot-password': signedOut(
    page(() => import('../features/accounts/forgot-password-page.tsx'), 'ForgotPasswordPage'),
  ),
  '/reset-password': signedOut(page(() => import('../features/accounts/reset-password-page.tsx'), 'ResetPasswordPage')),
  '/dashboard': signedIn(
    page(() => import('../features/dashboard/dashboard-page.tsx'), 'DashboardPage', 'startDashboard'),
  ),
  '/activity': signedIn(page(() => import('../features/inbox/activity-page.tsx'), 'ActivityPage', 'startActivity')),
  '/leads': signedIn(page(() => import('../features/leads/lead-list-page.tsx'), 'LeadListPage', 'startLeadList')),
  '/leads/new': signedIn(
    page(() => import('../features/leads/new-lead-page.tsx'), 'NewLeadPage'),
    requireRole('member'),
  ),
  '/leads/import': signedIn(
    page(() => import('../features/imports/import-page.tsx'), 'ImportPage', 'startImportPage'),
    requireRole('member'),
  ),
  '/leads/$loid': signedIn(page(() => import('../features/leads/lead-page.tsx'), 'LeadPage', 'startLead')),
  '/leads/$loid/correct': signedIn(
    page(() => import('../features/leads/correct-lead-page.tsx'), 'CorrectLeadPage'),
    requireRole('member'),
  ),
  '/deals': signedIn(page(() => import('../features/deals/deal-list-page.tsx'), 'DealListPage', 'startDealList')),
  '/deals/$loid': signedIn(page(() => import('../features/deals/deal-page.tsx'), 'DealPage', 'startDeal')),
  '/payments': signedIn(
    page(() => import('../features/payments/payments-page.tsx'), 'PaymentsPage', 'startPayments'),
    requirePayments,
  ),
  '/webhook': signedIn(
    page(() => import('../features/webhooks/webhook-page.tsx'), 'WebhookPage', 'startWebhook'),
    requireRole('owner'),
  ),
  '/api-keys': signedIn(
    page(() => import('../features/api-keys/api-keys-page.tsx'), 'ApiKeysPage', 'startApiKeys'),
    requireRole('owner'),
  ),
  '/team': signedIn(
    page(() => import('../features/team/team-page.tsx'), 'TeamPage', 'startTeam'),
    requireRole('owner'),
  ),
  '/api-docs': signedIn(page(() => import('../features/partner-api/api-docs-page.tsx'), 'ApiDocsPage', 'startApiDocs')),
  '/search': signedIn(
    page(() => import('../features/search/search-page.tsx'), 'SearchPage', 'startSearch'),
    requireQuery,
  ),
  '/security': signedIn(
    page(() => import('../features/security-log/security-log-page.tsx'), 'SecurityLogPage', 'startSecurityLog'),
    requireRole('owner'),
  ),
  '/profile': signedIn(
    page(() => import('../features/accounts/profile-page.tsx'), 'ProfilePage', 'startProfile'),
    leadToNotifications,
  ),
  '/profile/security': signedIn(
    page(() => import('../features/accounts/account-security-page.tsx'), 'AccountSecurityPage', 'startAccountSecurity'),
  ),
  '/profile/notifications': signedIn(
    page(() => import('../features/accounts/notifications-page.tsx'), 'NotificationsPage'),
  ),
}

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routes,
    fallback: paths.dashboard,
    queryClient,
    Pending: PagePending,
    Broken: PageCrash,
  })
}
