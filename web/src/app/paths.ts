import type { ParsedLocation } from '@tanstack/react-router'

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
  lead: (loid: string) => ({ to: '/leads/$loid', params: { loid } }) as const,
  correctLead: (loid: string) => ({ to: '/leads/$loid/correct', params: { loid } }) as const,
  deals: { to: '/deals' },
  dealsLike: (search: string) => ({ to: '/deals', search: { search, searchIn: 'all' } }) as const,
  dealsInStage: (stage: string) => ({ to: '/deals', search: { stage } }) as const,
  deal: (loid: string) => ({ to: '/deals/$loid', params: { loid } }) as const,
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

declare module '@tanstack/react-router' {
  interface HistoryState {
    /**
     * The page that opens after signing in or setting up a second factor (D76). It is kept in the history and not in
     * the address, so that a link from elsewhere cannot choose it.
     */
    next?: string
  }
}

/** The page to remember if this location cannot be shown now: its `next` if it has one, or the location itself. */
export function nextOf({ state, href }: ParsedLocation): string {
  return state.next ?? href
}

/** The page to open after this location: its `next` if it has one, or the dashboard. */
export function onwardFrom({ state }: Pick<ParsedLocation, 'state'>) {
  return { ...paths.dashboard, ...(state.next !== undefined && { href: state.next }) }
}
