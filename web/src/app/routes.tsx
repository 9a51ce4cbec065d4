import type { QueryClient } from '@tanstack/react-query'
import type { Path } from '../router/address.ts'
import { createRouter, type Guard, type Route } from '../router/router.ts'
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

/**
 * Every path of the app, under the guard that protects it. A page's `start` begins the page's calls as soon as the
 * page's code has loaded, which can be while the pointer is on a link to it. Nothing waits for the calls, because the
 * page shows their progress.
 */
const routes: Readonly<Record<Path, Route>> = {
  '/verify-email': open(async () => {
    const { VerifyEmailPage } = await import('../features/accounts/verify-email-page.tsx')
    return { Page: VerifyEmailPage }
  }),
  '/disown': open(async () => {
    const { DisownPage } = await import('../features/accounts/disown-page.tsx')
    return { Page: DisownPage }
  }),
  '/unsubscribe': open(async () => {
    const { UnsubscribePage } = await import('../features/accounts/unsubscribe-page.tsx')
    return { Page: UnsubscribePage }
  }),
  // This page has no layout around it, because the server refuses the layout's calls until there is a second factor.
  '/second-factor': open(async () => {
    const { SecondFactorPage } = await import('../features/accounts/second-factor-page.tsx')
    return { Page: SecondFactorPage }
  }, requireSession),
  '/confirm-email': open(async () => {
    const { ConfirmEmailPage } = await import('../features/accounts/confirm-email-page.tsx')
    return { Page: ConfirmEmailPage }
  }),
  '/undo-email': open(async () => {
    const { UndoEmailPage } = await import('../features/accounts/undo-email-page.tsx')
    return { Page: UndoEmailPage }
  }),
  '/invite': open(async () => {
    const { InvitePage } = await import('../features/accounts/invite-page.tsx')
    return { Page: InvitePage }
  }),
  '/login': signedOut(async () => {
    const { LoginPage, startLogin } = await import('../features/accounts/login-page.tsx')
    return { Page: LoginPage, start: startLogin }
  }),
  '/signup': signedOut(async () => {
    const { SignUpPage } = await import('../features/accounts/sign-up-page.tsx')
    return { Page: SignUpPage }
  }),
  '/forgot-password': signedOut(async () => {
    const { ForgotPasswordPage } = await import('../features/accounts/forgot-password-page.tsx')
    return { Page: ForgotPasswordPage }
  }),
  '/reset-password': signedOut(async () => {
    const { ResetPasswordPage } = await import('../features/accounts/reset-password-page.tsx')
    return { Page: ResetPasswordPage }
  }),
  '/dashboard': signedIn(async () => {
    const { DashboardPage, startDashboard } = await import('../features/dashboard/dashboard-page.tsx')
    return { Page: DashboardPage, start: startDashboard }
  }),
  '/activity': signedIn(async () => {
    const { ActivityPage, startActivity } = await import('../features/inbox/activity-page.tsx')
    return { Page: ActivityPage, start: startActivity }
  }),
  '/leads': signedIn(async () => {
    const { LeadListPage, startLeadList } = await import('../features/leads/lead-list-page.tsx')
    return { Page: LeadListPage, start: startLeadList }
  }),
  '/leads/new': signedIn(async () => {
    const { NewLeadPage } = await import('../features/leads/new-lead-page.tsx')
    return { Page: NewLeadPage }
  }, requireRole('member')),
  '/leads/import': signedIn(async () => {
    const { ImportPage, startImportPage } = await import('../features/imports/import-page.tsx')
    return { Page: ImportPage, start: startImportPage }
  }, requireRole('member')),
  '/leads/$loid': signedIn(async () => {
    const { LeadPage, startLead } = await import('../features/leads/lead-page.tsx')
    return { Page: LeadPage, start: startLead }
  }),
  '/leads/$loid/correct': signedIn(async () => {
    const { CorrectLeadPage } = await import('../features/leads/correct-lead-page.tsx')
    return { Page: CorrectLeadPage }
  }, requireRole('member')),
  '/deals': signedIn(async () => {
    const { DealListPage, startDealList } = await import('../features/deals/deal-list-page.tsx')
    return { Page: DealListPage, start: startDealList }
  }),
  '/deals/$loid': signedIn(async () => {
    const { DealPage, startDeal } = await import('../features/deals/deal-page.tsx')
    return { Page: DealPage, start: startDeal }
  }),
  '/payments': signedIn(async () => {
    const { PaymentsPage, startPayments } = await import('../features/payments/payments-page.tsx')
    return { Page: PaymentsPage, start: startPayments }
  }, requirePayments),
  '/webhook': signedIn(async () => {
    const { WebhookPage, startWebhook } = await import('../features/webhooks/webhook-page.tsx')
    return { Page: WebhookPage, start: startWebhook }
  }, requireRole('owner')),
  '/api-keys': signedIn(async () => {
    const { ApiKeysPage, startApiKeys } = await import('../features/api-keys/api-keys-page.tsx')
    return { Page: ApiKeysPage, start: startApiKeys }
  }, requireRole('owner')),
  '/team': signedIn(async () => {
    const { TeamPage, startTeam } = await import('../features/team/team-page.tsx')
    return { Page: TeamPage, start: startTeam }
  }, requireRole('owner')),
  '/api-docs': signedIn(async () => {
    const { ApiDocsPage, startApiDocs } = await import('../features/partner-api/api-docs-page.tsx')
    return { Page: ApiDocsPage, start: startApiDocs }
  }),
  '/search': signedIn(async () => {
    const { SearchPage, startSearch } = await import('../features/search/search-page.tsx')
    return { Page: SearchPage, start: startSearch }
  }, requireQuery),
  '/security': signedIn(async () => {
    const { SecurityLogPage, startSecurityLog } = await import('../features/security-log/security-log-page.tsx')
    return { Page: SecurityLogPage, start: startSecurityLog }
  }, requireRole('owner')),
  '/profile': signedIn(async () => {
    const { ProfilePage, startProfile } = await import('../features/accounts/profile-page.tsx')
    return { Page: ProfilePage, start: startProfile }
  }, leadToNotifications),
  '/profile/security': signedIn(async () => {
    const { AccountSecurityPage, startAccountSecurity } = await import('../features/accounts/account-security-page.tsx')
    return { Page: AccountSecurityPage, start: startAccountSecurity }
  }),
  '/profile/notifications': signedIn(async () => {
    const { NotificationsPage } = await import('../features/accounts/notifications-page.tsx')
    return { Page: NotificationsPage }
  }),
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
