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
  newLead: { to: '/leads/new' },
  lead: (loid: string) => ({ to: '/leads/$loid', params: { loid } }) as const,
  deals: { to: '/deals' },
  dealsInStage: (stage: string) => ({ to: '/deals', search: { stage } }) as const,
  deal: (loid: string) => ({ to: '/deals/$loid', params: { loid } }) as const,
  webhook: { to: '/webhook' },
  apiKeys: { to: '/api-keys' },
  team: { to: '/team' },
  apiDocs: { to: '/api-docs' },
  search: (q: string) => ({ to: '/search', search: { q } }) as const,
  security: { to: '/security' },
  profile: { to: '/profile' },
  notifications: { to: '/profile', hash: 'notifications' },
} as const

declare module '@tanstack/react-router' {
  interface HistoryState {
    /**
     * The page to which signing in, or setting up a second factor, leads on (D76). It is kept beside the address, not
     * in it, so that a link from elsewhere cannot name one.
     */
    next?: string
  }
}

/** The page to remember when one cannot be shown yet: that page itself, or the page to which it leads on. */
export function nextOf({ state, href }: ParsedLocation): string {
  return state.next ?? href
}

/** The page that the person asked for before this one appeared, or the dashboard. */
export function onwardFrom({ state }: Pick<ParsedLocation, 'state'>) {
  return { ...paths.dashboard, ...(state.next !== undefined && { href: state.next }) }
}
