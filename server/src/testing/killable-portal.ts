import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { SECRETS_KEY } from './start-portal.ts'
import { waitFor } from './wait-for.ts'

const MAIN = join(import.meta.dirname, '../main.ts')

interface KillableOptions {
  databaseUrl: string
  /** The data folder, which contains the outbox. */
  folder: string
  env?: Record<string, string>
  /** The highest number of open files that the process gets. */
  descriptors?: number
}

export type KillablePortal = Awaited<ReturnType<typeof startKillablePortal>>

/** A separate portal process without a CRM, which a test can kill. */
export async function startKillablePortal({ databaseUrl, folder, env, descriptors }: KillableOptions) {
  const limited = descriptors === undefined ? [] : ['prlimit', `--nofile=${descriptors}`]
  const child = spawn('env', [...limited, process.execPath, MAIN], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PORT: '0',
      DATA_DIR: folder,
      DATABASE_URL: databaseUrl,
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'silent',
      // The same key as in the test's own portal, because both use the secrets in the database.
      SECRETS_KEY,
      // With these variables no sandbox is started. No server answers at this address.
      ZOHO_ACCOUNTS_URL: 'http://127.0.0.1:1',
      ZOHO_API_URL: 'http://127.0.0.1:1',
      ZOHO_CLIENT_ID: 'none',
      ZOHO_CLIENT_SECRET: 'none',
      ZOHO_REFRESH_TOKEN: 'none',
      ...env,
    },
  })
  const exited = once(child, 'exit')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const started = waitFor('the server to start', async () => /Partner portal +(\S+)/.exec(output)?.[1])
  const url = await started.catch((error: unknown) => {
    // Otherwise Vitest would never end, because the process holds its output open.
    child.kill('SIGKILL')
    throw error
  })
  return {
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    url: url.replace('localhost', '127.0.0.1'),
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
