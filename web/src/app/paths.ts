/** Every link of the app: `<Link {...paths.lead(loid)}>`, `navigate(paths.leads)`. */
export const paths = {
  login: { to: '/login' },
  signUp: { to: '/signup' },
  forgotPassword: { to: '/forgot-password' },
  resetPassword: (token: string) => ({ to: '/reset-password', search: { token } }) as const,
  disown: (token: string) => ({ to: '/disown', search: { token } }) as const,
  dashboard: { to: '/dashboard' },
  leads: { to: '/leads' },
  newLead: { to: '/leads/new' },
  lead: (loid: string) => ({ to: '/leads/$loid', params: { loid } }) as const,
  deals: { to: '/deals' },
  deal: (loid: string) => ({ to: '/deals/$loid', params: { loid } }) as const,
  webhook: { to: '/webhook' },
  apiKeys: { to: '/api-keys' },
  apiDocs: { to: '/api-docs' },
  search: (q: string) => ({ to: '/search', search: { q } }) as const,
  profile: { to: '/profile' },
} as const
