import type { FastifyRequest } from 'fastify'

/** The scopes that the sandbox's refresh token has, unless the switch `scopesMissing` removes some. */
export const SCOPES = [
  'ZohoCRM.modules.ALL',
  'ZohoCRM.settings.ALL',
  'ZohoCRM.users.READ',
  'ZohoCRM.org.READ',
  'ZohoCRM.coql.READ',
  'ZohoCRM.notifications.ALL',
  'ZohoSearch.securesearch.READ',
] as const

type Scope = (typeof SCOPES)[number]

export function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text)
}

/** All the scopes that a call needs. Search, COQL and notifications need several, because they also read records. */
export function neededScopes(request: FastifyRequest): readonly Scope[] {
  const path = request.url.replace(/\?.*/, '')
  if (path.startsWith('/crm/v8/settings/')) return ['ZohoCRM.settings.ALL']
  if (/^\/crm\/v8\/users\b/.test(path)) return ['ZohoCRM.users.READ']
  if (/^\/crm\/v8\/org\b/.test(path)) return ['ZohoCRM.org.READ']
  if (/^\/crm\/v8\/coql\b/.test(path)) return ['ZohoCRM.coql.READ', 'ZohoCRM.modules.ALL']
  if (/^\/crm\/v8\/actions\/watch\b/.test(path)) return ['ZohoCRM.notifications.ALL', 'ZohoCRM.modules.ALL']
  if (path.endsWith('/search')) return ['ZohoSearch.securesearch.READ', 'ZohoCRM.modules.ALL']
  return ['ZohoCRM.modules.ALL']
}
