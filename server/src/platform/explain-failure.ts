import type { Settings } from './config.ts'

/** PostgreSQL refuses the role, its password or the database. */
const REFUSED = new Set(['28P01', '28000', '3D000'])

/** What an operator reads about a failed start or command: the error, and the setting that mends it if one does. */
export function explainFailure(error: unknown, settings?: Pick<Settings, 'metricsPort'>): string {
  if (!(error instanceof Error)) return String(error)
  const { message } = error
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE' && 'port' in error) {
    const name = error.port === settings?.metricsPort ? 'METRICS_PORT' : 'PORT'
    return `${name} is ${String(error.port)}, but another program listens there: choose a free port`
  }
  if (message.includes('unsupported startup parameter')) {
    return 'DATABASE_URL leads to a pooler such as PgBouncer: give the address of PostgreSQL itself in DATABASE_DIRECT_URL as well'
  }
  if (typeof code === 'string' && REFUSED.has(code)) return `The database refuses DATABASE_URL: ${message}`
  return message
}
