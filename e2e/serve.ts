// Starts the portal for the browser tests, with an empty data folder.
import { rmSync } from 'node:fs'
import path from 'node:path'
import { crmUrl, portalUrl } from './addresses.ts'

const dataDir = path.resolve(import.meta.dirname, '../.cache/e2e')
rmSync(dataDir, { recursive: true, force: true })
Object.assign(process.env, {
  NODE_ENV: 'development',
  PORT: new URL(portalUrl).port,
  PUBLIC_URL: portalUrl,
  CRM_PORT: new URL(crmUrl).port,
  DATA_DIR: dataDir,
  // Enough for three workers. Each further connection has to be opened, and reads the catalogue again.
  DATABASE_POOL: '4',
  LOG_LEVEL: 'warn',
  RATE_LIMITS: 'off',
  SEED_DEMO: 'true',
  SYNC_WAIT_MS: '5000',
  WEBHOOK_ALLOW_PRIVATE: 'true',
})
await import('../server/src/main.ts')
