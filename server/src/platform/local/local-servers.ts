import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Settings, ZohoSettings } from '../config.ts'
import { findRunningCrmSandbox, startCrmSandboxProcess } from './crm-sandbox-process.ts'
import { findRunningPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'

export interface DatabaseServer {
  url: string
  stop(): Promise<void>
}

export interface CrmServer {
  mode: 'sandbox' | 'zoho'
  settings: ZohoSettings
  stop(): Promise<void>
}

const SANDBOX_SECRET = 'sandbox'
/** Connections besides the portal's pools: its five others, and those of an operator's command beside it. */
const OTHER_CONNECTIONS = 36

/** The given PostgreSQL, or an embedded one under the data folder (D1). */
export async function startDatabaseServer(config: Settings, log: Logger): Promise<DatabaseServer> {
  const { databaseUrl, dataDir, databasePool } = config
  if (databaseUrl) return { url: databaseUrl, stop: stopNothing }
  return startEmbeddedPostgres(join(dataDir, 'postgres'), {
    log: forText(log, 'postgres'),
    settings: { max_connections: String(Math.ceil(1.5 * databasePool) + OTHER_CONNECTIONS) },
  })
}

/** The given Zoho CRM, or the sandbox as a separate process. The portal knows only the sandbox's address (D40). */
export async function startCrmServer(config: Settings, log: Logger): Promise<CrmServer> {
  const { zoho, crmPort, dataDir, seedDemo } = config
  if (zoho) return { mode: 'zoho', settings: zoho, stop: stopNothing }
  const sandbox = await startCrmSandboxProcess({
    port: crmPort,
    dir: join(dataDir, 'sandbox'),
    seed: seedDemo,
    log: forText(log, 'sandbox'),
  })
  return { mode: 'sandbox', settings: sandboxSettings(sandbox.url), stop: sandbox.stop }
}

/** The given PostgreSQL, the server of a running portal with these settings, or a temporary server of this process. */
export async function joinDatabaseServer(config: Settings, log: Logger): Promise<DatabaseServer> {
  const url = config.databaseUrl ? undefined : await findRunningPostgres(join(config.dataDir, 'postgres'))
  return url ? { url, stop: stopNothing } : startDatabaseServer(config, log)
}

export async function joinCrmServer(config: Settings, log: Logger): Promise<CrmServer> {
  const url = config.zoho ? undefined : await findRunningCrmSandbox(join(config.dataDir, 'sandbox'))
  if (url) return { mode: 'sandbox', settings: sandboxSettings(url), stop: stopNothing }
  // Only the portal's own start makes demo data, because only that start signs up the demo partner.
  return startCrmServer({ ...config, seedDemo: false }, log)
}

function sandboxSettings(url: string): ZohoSettings {
  return {
    accountsUrl: url,
    apiUrl: url,
    clientId: SANDBOX_SECRET,
    clientSecret: SANDBOX_SECRET,
    refreshToken: SANDBOX_SECRET,
  }
}

function forText(log: Logger, part: string) {
  return {
    debug: (text: string) => log.debug({ part }, text),
    warn: (text: string) => log.warn({ part }, text),
  }
}

async function stopNothing(): Promise<void> {
  // The server does not belong to this process.
}
