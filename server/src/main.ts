import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pino from 'pino'
import { readSettings, type Settings, SettingsError, type ZohoSettings } from './config.ts'
import { startCrmSandboxProcess } from './crm-sandbox-process.ts'
import { startEmbeddedPostgres } from './db/embedded-postgres.ts'

const SANDBOX_SECRET = 'sandbox'

const config = readSettingsOrExit()
// Written when the event loop has a moment, which takes the log off the path of every request.
const log = pino({ level: config.logLevel }, pino.destination({ sync: false }))
/** What was started, in order; stopped in reverse. */
const parts: (() => Promise<void>)[] = []
let isStopping = false

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(0))

try {
  await start()
} catch (error) {
  log.fatal({ err: error }, 'the portal could not start')
  console.error(`The portal could not start: ${error instanceof Error ? error.message : String(error)}`)
  await stop(1)
}

async function start(): Promise<void> {
  // Others may pass through but not look: PostgreSQL may run as another user (it refuses root).
  await mkdir(config.dataDir, { recursive: true, mode: 0o711 })
  // Read while the other processes start, which takes them as long.
  const portalModule = import('./portal.ts')
  const [databaseUrl, crm] = await Promise.all([openDatabaseServer(config), openCrmServer(config)])
  const { openPortal } = await portalModule
  const mode = config.zoho ? 'zoho' : 'sandbox'
  const portal = await openPortal({
    config,
    databaseUrl,
    crm: { mode, settings: crm },
    clock: { now: () => new Date() },
    hasSchedules: true,
    log,
  })
  parts.push(portal.close)
  // A real CRM gets no demo partner.
  const demo = config.seedDemo && !config.zoho ? await import('./seed-demo.ts') : undefined
  await demo?.seedDemo(portal.deps)
  if (!isStopping) announce(portal.deps.publicUrl, demo?.DEMO_SIGN_IN)
}

/** The given PostgreSQL, or an embedded one under the data folder (D1). */
async function openDatabaseServer({ databaseUrl, dataDir }: Settings): Promise<string> {
  if (databaseUrl) return databaseUrl
  const postgres = await startEmbeddedPostgres(join(dataDir, 'postgres'), { log: forText('postgres') })
  parts.push(postgres.stop)
  return postgres.url
}

/** The given Zoho CRM, or the sandbox as a process of its own, known by its address only (D40). */
async function openCrmServer({ zoho, crmPort, dataDir, seedDemo: seed }: Settings): Promise<ZohoSettings> {
  if (zoho) return zoho
  const sandbox = await startCrmSandboxProcess({
    port: crmPort,
    dir: join(dataDir, 'sandbox'),
    seed,
    log: forText('sandbox'),
  })
  parts.push(sandbox.stop)
  return {
    accountsUrl: sandbox.url,
    apiUrl: sandbox.url,
    clientId: SANDBOX_SECRET,
    clientSecret: SANDBOX_SECRET,
    refreshToken: SANDBOX_SECRET,
  }
}

function announce(portalUrl: string, demoSignIn?: { email: string; password: string }): void {
  const lines = [`Partner portal   ${portalUrl}`]
  if (!config.zoho) lines.push(`CRM sandbox      http://127.0.0.1:${config.crmPort}  (play the lender here)`)
  if (demoSignIn) lines.push(`Demo sign-in     ${demoSignIn.email}  ${demoSignIn.password}`)
  console.log(`\n  ${lines.join('\n  ')}\n`)
}

/** In reverse order, once. A second signal does not hurry it: each part has its own limit (D4). */
async function stop(exitCode: number): Promise<void> {
  if (isStopping) return
  isStopping = true
  for (const stopPart of parts.reverse()) {
    await stopPart().catch((error: unknown) => log.error({ err: error }, 'a part did not stop in order'))
  }
  process.exit(exitCode)
}

function readSettingsOrExit(): Settings {
  try {
    return readSettings(process.env)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    console.error(error.message)
    return process.exit(1)
  }
}

function forText(part: string) {
  return {
    debug: (text: string) => log.debug({ part }, text),
    warn: (text: string) => log.warn({ part }, text),
  }
}
