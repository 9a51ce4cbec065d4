import { mkdir } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { DEMO_SIGN_IN, hasDemo } from './features/accounts/demo-sign-in.ts'
import { BUILD } from './platform/build.ts'
import { readSettings, type Settings } from './platform/config.ts'
import { explainFailure } from './platform/explain-failure.ts'
import { type CrmServer, startCrmServer, startDatabaseServer } from './platform/local/local-servers.ts'
import { openLog, openLogOutput } from './platform/log.ts'
import { SettingsError } from './platform/settings-error.ts'
import type { Portal } from './process/portal.ts'

const config = readSettingsOrExit()
const log = openLog(config.logLevel, await openLogOutput(config.isProduction))
/** The functions that stop the started parts, in the order of their starts. They are called in reverse order. */
const parts: (() => Promise<void>)[] = []
let isStopping = false

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(0, signal))

log.info({ ...BUILD, role: config.role }, 'the portal is starting')
try {
  await start()
} catch (error) {
  // A stop takes away the database that the start is using. That is not a failure.
  if (!isStopping) {
    log.fatal({ err: error }, 'the portal could not start')
    console.error(`The portal could not start: ${explainFailure(error, config)}`)
  }
  await stop(1)
}

async function start(): Promise<void> {
  // Other users can pass through the folder but not list it. PostgreSQL needs this if it runs as another user.
  if (!config.databaseUrl || !config.zoho) await mkdir(config.dataDir, { recursive: true, mode: 0o711 })
  const servers = Promise.all([
    stopAtTheEnd(startCrmServer(config, log)),
    stopAtTheEnd(startDatabaseServer(config, log)),
  ])
  // Reading the portal's modules keeps this process busy for half a second, so the other processes are spawned first.
  await setImmediate()
  const [{ openPortal }, [crm, database]] = await Promise.all([import('./process/portal.ts'), servers])
  const isDemo = hasDemo(config) && config.role !== 'worker'
  const demo = isDemo ? await import('./process/demo/seed-demo.ts') : undefined
  const portal = await openPortal({
    config,
    databaseUrl: database.url,
    crm,
    hasSchedules: true,
    prepare: demo?.seedDemo,
    log,
  })
  parts.push(portal.close)
  await portal.started
  if (isStopping) return
  // In production each line of the output is JSON.
  if (config.isProduction) log.info({ url: portal.deps.publicUrl }, 'the portal is ready')
  else announce(portal, crm, isDemo ? DEMO_SIGN_IN : undefined)
}

async function stopAtTheEnd<Part extends { stop(): Promise<void> }>(starting: Promise<Part>): Promise<Part> {
  const part = await starting
  parts.push(part.stop)
  return part
}

function announce(
  { url, deps: { publicUrl } }: Portal,
  crm: CrmServer,
  demoSignIn?: { email: string; password: string },
): void {
  const isWorker = config.role === 'worker'
  const lines = [isWorker ? `Portal worker    ${url}/api/ready  (serves no pages)` : `Partner portal   ${publicUrl}`]
  if (crm.mode === 'sandbox') lines.push(`CRM sandbox      ${crm.settings.apiUrl}  (play the lender here)`)
  if (!config.smtpUrl && !isWorker) lines.push(`Mails            ${publicUrl}/outbox  (they stay on this machine)`)
  if (demoSignIn) lines.push(`Demo sign-in     ${demoSignIn.email}  ${demoSignIn.password}`)
  lines.push('Ctrl+C stops     everything; your data is kept')
  console.log(`\n  ${lines.join('\n  ')}\n`)
}

/**
 * Stops everything in reverse order, once. A second signal changes nothing, because each part has its own time limit
 * (D4).
 */
async function stop(exitCode: number, signal?: NodeJS.Signals): Promise<void> {
  if (isStopping) return
  isStopping = true
  log.info({ signal }, 'the portal is stopping')
  for (const stopPart of parts.reverse()) {
    await stopPart().catch((error: unknown) => log.error({ err: error }, 'a part of the portal did not stop cleanly'))
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
