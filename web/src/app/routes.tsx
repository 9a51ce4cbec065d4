import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyFn,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { requireNoSession, requirePayments, requireRole, requireSession, toDashboard } from './guards.ts'
import { PageCrash } from './page-crash.tsx'
import { PagePending } from './page-pending.tsx'
import { paths } from './paths.ts'
import {
  activitySearch,
  dealListSearch,
  leadListSearch,
  parseSearch,
  paymentsSearch,
  searchPageSearch,
  securityLogSearch,
  stringifySearch,
  tokenSearch,
  webhookLogSearch,
} from './search-params.ts'

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  // An address that cannot be decoded matches no route below, not even `$`.
  beforeLoad: ({ matches }) => {
    if (matches.length === 1) throw toDashboard()
  },
})

const signedOut = createRoute({ getParentRoute: () => root, id: 'signed-out', beforeLoad: requireNoSession })

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: requireSession,
  component: lazyRouteComponent(() => import('./layout/layout.tsx'), 'Layout'),
})

/**
 * Every path of the app, under the guard that protects it. A page's loader begins the page's calls as soon as the
 * page's code has loaded, which can be while the pointer is on a link to it. The loader does not wait for the calls,
 * because the page shows their progress.
 */
const routeTree = root.addChildren([
  createRoute({
    getParentRoute: () => root,
    path: '/',
    beforeLoad: () => {
      throw toDashboard()
    },
  }),
  createRoute({
    getParentRoute: () => root,
    path: '$',
    beforeLoad: () => {
      throw toDashboard()
    },
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/verify-email',
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import('../features/accounts/verify-email-page.tsx'), 'VerifyEmailPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/disown',
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import('../features/accounts/disown-page.tsx'), 'DisownPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/unsubscribe',
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import('../features/accounts/unsubscribe-page.tsx'), 'UnsubscribePage'),
  }),
  // This page has no layout around it, because the server refuses the layout's calls until there is a second factor.
  createRoute({
    getParentRoute: () => root,
    path: '/second-factor',
    beforeLoad: requireSession,
    component: lazyRouteComponent(() => import('../features/accounts/second-factor-page.tsx'), 'SecondFactorPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/confirm-email',
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import('../features/accounts/confirm-email-page.tsx'), 'ConfirmEmailPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/undo-email',
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import('../features/accounts/undo-email-page.tsx'), 'UndoEmailPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/invite',
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import('../features/accounts/invite-page.tsx'), 'InvitePage'),
  }),
  signedOut.addChildren([
    createRoute({
      getParentRoute: () => signedOut,
      path: '/login',
      loader: lazyFn(() => import('../features/accounts/login-page.tsx'), 'startLogin'),
      component: lazyRouteComponent(() => import('../features/accounts/login-page.tsx'), 'LoginPage'),
    }),
    createRoute({
      getParentRoute: () => signedOut,
      path: '/signup',
      component: lazyRouteComponent(() => import('../features/accounts/sign-up-page.tsx'), 'SignUpPage'),
    }),
    createRoute({
      getParentRoute: () => signedOut,
      path: '/forgot-password',
      component: lazyRouteComponent(
        () => import('../features/accounts/forgot-password-page.tsx'),
        'ForgotPasswordPage',
      ),
    }),
    createRoute({
      getParentRoute: () => signedOut,
      path: '/reset-password',
      validateSearch: tokenSearch,
      component: lazyRouteComponent(() => import('../features/accounts/reset-password-page.tsx'), 'ResetPasswordPage'),
    }),
  ]),
  signedIn.addChildren([
    createRoute({
      getParentRoute: () => signedIn,
      path: '/dashboard',
      loader: lazyFn(() => import('../features/dashboard/dashboard-page.tsx'), 'startDashboard'),
      component: lazyRouteComponent(() => import('../features/dashboard/dashboard-page.tsx'), 'DashboardPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/activity',
      validateSearch: activitySearch,
      loaderDeps: ({ search }) => activitySearch(search),
      loader: lazyFn(() => import('../features/inbox/activity-page.tsx'), 'startActivity'),
      component: lazyRouteComponent(() => import('../features/inbox/activity-page.tsx'), 'ActivityPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/leads',
      validateSearch: leadListSearch,
      loaderDeps: ({ search }) => leadListSearch(search),
      loader: lazyFn(() => import('../features/leads/lead-list-page.tsx'), 'startLeadList'),
      component: lazyRouteComponent(() => import('../features/leads/lead-list-page.tsx'), 'LeadListPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/leads/new',
      beforeLoad: requireRole('member'),
      component: lazyRouteComponent(() => import('../features/leads/new-lead-page.tsx'), 'NewLeadPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/leads/import',
      beforeLoad: requireRole('member'),
      loader: lazyFn(() => import('../features/imports/import-page.tsx'), 'startImportPage'),
      component: lazyRouteComponent(() => import('../features/imports/import-page.tsx'), 'ImportPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/leads/$loid',
      loader: lazyFn(() => import('../features/leads/lead-page.tsx'), 'startLead'),
      component: lazyRouteComponent(() => import('../features/leads/lead-page.tsx'), 'LeadPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/leads/$loid/correct',
      beforeLoad: requireRole('member'),
      component: lazyRouteComponent(() => import('../features/leads/correct-lead-page.tsx'), 'CorrectLeadPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/deals',
      validateSearch: dealListSearch,
      loaderDeps: ({ search }) => dealListSearch(search),
      loader: lazyFn(() => import('../features/deals/deal-list-page.tsx'), 'startDealList'),
      component: lazyRouteComponent(() => import('../features/deals/deal-list-page.tsx'), 'DealListPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/deals/$loid',
      loader: lazyFn(() => import('../features/deals/deal-page.tsx'), 'startDeal'),
      component: lazyRouteComponent(() => import('../features/deals/deal-page.tsx'), 'DealPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/payments',
      beforeLoad: requirePayments,
      validateSearch: paymentsSearch,
      loaderDeps: ({ search }) => paymentsSearch(search),
      loader: lazyFn(() => import('../features/payments/payments-page.tsx'), 'startPayments'),
      component: lazyRouteComponent(() => import('../features/payments/payments-page.tsx'), 'PaymentsPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/webhook',
      beforeLoad: requireRole('owner'),
      validateSearch: webhookLogSearch,
      loaderDeps: ({ search }) => webhookLogSearch(search),
      loader: lazyFn(() => import('../features/webhooks/webhook-page.tsx'), 'startWebhook'),
      component: lazyRouteComponent(() => import('../features/webhooks/webhook-page.tsx'), 'WebhookPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/api-keys',
      beforeLoad: requireRole('owner'),
      loader: lazyFn(() => import('../features/api-keys/api-keys-page.tsx'), 'startApiKeys'),
      component: lazyRouteComponent(() => import('../features/api-keys/api-keys-page.tsx'), 'ApiKeysPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/team',
      beforeLoad: requireRole('owner'),
      loader: lazyFn(() => import('../features/team/team-page.tsx'), 'startTeam'),
      component: lazyRouteComponent(() => import('../features/team/team-page.tsx'), 'TeamPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/api-docs',
      loader: lazyFn(() => import('../features/partner-api/api-docs-page.tsx'), 'startApiDocs'),
      component: lazyRouteComponent(() => import('../features/partner-api/api-docs-page.tsx'), 'ApiDocsPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/search',
      validateSearch: searchPageSearch,
      beforeLoad: ({ search }) => {
        if (!search.q) throw redirect({ to: '/', replace: true })
      },
      loaderDeps: ({ search }) => search,
      loader: lazyFn(() => import('../features/search/search-page.tsx'), 'startSearch'),
      component: lazyRouteComponent(() => import('../features/search/search-page.tsx'), 'SearchPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/security',
      beforeLoad: requireRole('owner'),
      validateSearch: securityLogSearch,
      loaderDeps: ({ search }) => securityLogSearch(search),
      loader: lazyFn(() => import('../features/security-log/security-log-page.tsx'), 'startSecurityLog'),
      component: lazyRouteComponent(() => import('../features/security-log/security-log-page.tsx'), 'SecurityLogPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/profile',
      // Mails of earlier versions link to the notifications in this way.
      beforeLoad: ({ location }) => {
        if (location.hash === 'notifications') throw redirect({ ...paths.notifications, replace: true })
      },
      component: lazyRouteComponent(() => import('../features/accounts/profile-page.tsx'), 'ProfilePage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/profile/security',
      loader: lazyFn(() => import('../features/accounts/account-security-page.tsx'), 'startAccountSecurity'),
      component: lazyRouteComponent(
        () => import('../features/accounts/account-security-page.tsx'),
        'AccountSecurityPage',
      ),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/profile/notifications',
      component: lazyRouteComponent(() => import('../features/accounts/notifications-page.tsx'), 'NotificationsPage'),
    }),
  ]),
])

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    // Each query decides how old its answer may be.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultPendingComponent: PagePending,
    defaultErrorComponent: PageCrash,
  })
}

export type AppRouter = ReturnType<typeof createAppRouter>

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter
  }
}
