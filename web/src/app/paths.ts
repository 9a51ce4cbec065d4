import type { Location } from '../router/address.ts'
import type {
  ActivitySearch,
  DealListSearch,
  LeadListSearch,
  PaymentsSearch,
  SearchPageSearch,
  SecurityLogSearch,
  WebhookLogSearch,
} from './search-params.ts'
import type { TokenSearch } from './token-search.ts'

type NoSearch = Record<never, never>

declare module '../router/address.ts' {
  interface Paths {
    '/verify-email': TokenSearch
    '/disown': TokenSearch
    '/unsubscribe': TokenSearch
    '/second-factor': NoSearch
    '/confirm-email': TokenSearch
    '/undo-email': TokenSearch
    '/invite': TokenSearch
    '/login': NoSearch
    '/signup': NoSearch
    '/forgot-password': NoSearch
    '/reset-password': TokenSearch
    '/dashboard': NoSearch
    '/activity': ActivitySearch
    '/leads': LeadListSearch
    '/leads/new': NoSearch
    '/leads/import': NoSearch
    '/leads/$loid': NoSearch
    '/leads/$loid/correct': NoSearch
    '/deals': DealListSearch
    '/deals/$loid': NoSearch
    '/payments': PaymentsSearch
    '/webhook': WebhookLogSearch
    '/api-keys': NoSearch
    '/team': NoSearch
    '/api-docs': NoSearch
    '/search': SearchPageSearch
    '/security': SecurityLogSearch
    '/profile': NoSearch
    '/profile/security': NoSearch
    '/profile/notifications': NoSearch
  }
}

declare module '../router/history.ts' {
  interface HistoryState {
    /**
     * The page that opens after signing in or setting up a second factor (D76). It is kept in the history and not in
     * the address, so that a link from elsewhere cannot choose it.
     */
    next?: string | undefined
  }
}

/** Every link of the app: `<Link {...paths.lead(loid)}>`, `navigate(paths.leads)`. */
export const paths = {
  login: { to: '/login' },
  signUp: { to: '/signup' },
  forgotPassword: { to: '/forgot-password' },
  resetPassword: (token: string) => ({ to: '/reset-password', search: { token } }) as const,
  secondFactor: { to: '/second-factor' },
  disown: (token: string) => ({ to: '/disown', search: { token } }) as const,
  dashboard: { to: '/dashboard' },
  activity: { to: '/activity' },
  leads: { to: '/leads' },
  leadsLike: (search: string) => ({ to: '/leads', search: { search, searchIn: 'all' } }) as const,
  newLead: { to: '/leads/new' },
  importLeads: { to: '/leads/import' },
  lead: (loid: string) => ({ to: '/leads/$loid', param: loid }) as const,
  correctLead: (loid: string) => ({ to: '/leads/$loid/correct', param: loid }) as const,
  deals: { to: '/deals' },
  dealsLike: (search: string) => ({ to: '/deals', search: { search, searchIn: 'all' } }) as const,
  dealsInStage: (stage: string) => ({ to: '/deals', search: { stage } }) as const,
  deal: (loid: string) => ({ to: '/deals/$loid', param: loid }) as const,
  payments: { to: '/payments' },
  webhook: { to: '/webhook' },
  apiKeys: { to: '/api-keys' },
  team: { to: '/team' },
  apiDocs: { to: '/api-docs' },
  search: (q: string) => ({ to: '/search', search: { q } }) as const,
  security: { to: '/security' },
  profile: { to: '/profile' },
  accountSecurity: { to: '/profile/security' },
  notifications: { to: '/profile/notifications' },
  agreement: { to: '/profile/notifications', hash: 'agreement' },
} as const

/** The page to remember if this location cannot be shown now: its `next` if it has one, or the location itself. */
export function nextOf({ state, href }: Location): string {
  return state.next ?? href
}

/** The page to open after this location: its `next` if it has one, or the dashboard. */
export function onwardFrom({ state }: Pick<Location, 'state'>) {
  return { ...paths.dashboard, href: state.next }
}
