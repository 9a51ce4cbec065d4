// The whole product as `npm start` runs it, for tests that kill its processes one by one or need other settings.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect } from '@playwright/test'
import type { FieldGroup } from '../contract/src/field-groups.ts'
import { killedCrmUrl, killedPortalUrl } from './addresses.ts'

const root = path.resolve(import.meta.dirname, '..')

export interface Product {
  process: ChildProcess
  /** The ids of the server's process and of all its descendants. */
  pids(): number[]
  postgresPid(): number
  sandboxPid(): number
  /** The output so far. */
  output(): string
  /** The exit code, or the signal that ended the process. */
  ended: Promise<number | NodeJS.Signals | null>
}

/** Starts the product, and resolves once its portal is ready. */
export async function startProduct(
  dataDir: string,
  {
    portalUrl = killedPortalUrl,
    crmUrl = killedCrmUrl,
    settings = {},
  }: { portalUrl?: string; crmUrl?: string; settings?: Record<string, string> } = {},
): Promise<Product> {
  // In `npm start`, the command `node` means this program.
  const node = path.join(root, 'node_modules', '.bin', 'node')
  const child = spawn(node, ['scripts/start.mjs'], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NODE_ENV: 'development',
      PORT: new URL(portalUrl).port,
      CRM_PORT: new URL(crmUrl).port,
      DATA_DIR: dataDir,
      SEED_DEMO: 'false',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'warn',
      ...settings,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal))
  })
  const early = ended.then((how) => {
    throw new Error(`the product ended with ${how} before it was ready: ${output}`)
  })
  early.catch(() => undefined)
  try {
    await Promise.race([isReady(portalUrl), early])
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }

  const pid = child.pid ?? 0
  return {
    process: child,

    ended,
    output: () => output,
    pids: () => familyOf(pid),
    postgresPid: () =>
      Number.parseInt(readFileSync(path.join(dataDir, 'postgres', 'pg18', 'postmaster.pid'), 'utf8'), 10),
    sandboxPid: () => familyOf(pid).find((one) => commandOf(one).includes('crm-sandbox')) ?? 0,
  }
}

interface ProductOptions {
  portalUrl: string
  crmUrl: string
  /** The groups of optional fields that the lender's CRM has, beside those of the demo. */
  groups?: readonly FieldGroup[]
  /** The settings, which may name files that this function writes into the folder. */
  settings?(folder: string): Record<string, string>
}

/**
 * Starts a product in a folder of its own, passes its data folder and a function that stops it and starts it again on the
 * same data, and removes both.
 */
export async function withProduct(
  { portalUrl, crmUrl, groups = [], settings }: ProductOptions,
  use: (dataDir: string, restart: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal of its own '))
  // PostgreSQL may run as another user, who needs access to the folder.
  chmodSync(folder, 0o711)
  const dataDir = path.join(folder, 'data')
  let product: Product | undefined
  try {
    const given = settings?.(folder) ?? {}
    if (groups.length > 0) setUpFields({ portalUrl, crmUrl, dataDir, groups, settings: given })
    product = await startProduct(dataDir, { portalUrl, crmUrl, settings: given })
    await use(dataDir, async () => {
      product?.process.kill()
      await product?.ended
      product = await startProduct(dataDir, { portalUrl, crmUrl, settings: given })
    })
  } finally {
    for (const pid of product?.pids() ?? []) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

interface FieldsToSetUp {
  portalUrl: string
  crmUrl: string
  dataDir: string
  groups: readonly FieldGroup[]
  settings?: Record<string, string>
}

/** Gives the lender's CRM these groups of optional fields. */
export function setUpFields({ portalUrl, crmUrl, dataDir, groups, settings }: FieldsToSetUp): void {
  const ports = { PORT: new URL(portalUrl).port, CRM_PORT: new URL(crmUrl).port }
  const env = { ...process.env, NODE_ENV: 'development', SEED_DEMO: 'false', ...settings, ...ports, DATA_DIR: dataDir }
  const node = path.join(root, 'node_modules', '.bin', 'node')
  execFileSync(node, ['scripts/run.mjs', 'run', 'server/src/cli.ts', 'crm', 'setup', ...groups], { cwd: root, env })
}

export async function isReady(portalUrl = killedPortalUrl): Promise<void> {
  await expect
    .poll(
      () =>
        fetch(`${portalUrl}/api/ready`).then(
          ({ status }) => status,
          () => 0,
        ),
      { intervals: [25], timeout: 30_000 },
    )
    .toBe(200)
}

export function isAlive(pid: number): boolean {
  return processes().some((one) => one.pid === pid)
}

function familyOf(pid: number): number[] {
  const all = processes()
  const family = [pid]
  for (const parent of family) family.push(...all.filter((one) => one.parent === parent).map((one) => one.pid))
  return family
}

/** The running processes on this machine. A zombie does not count. */
function processes(): { pid: number; parent: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      // For example `1234 (a name (with) brackets) S 1 …`.
      const [state, parent] = readIfThere(`/proc/${name}/stat`)
        .replace(/^.*\) /s, '')
        .split(' ')
      return state && state !== 'Z' ? [{ pid: Number(name), parent: Number(parent) }] : []
    })
}

function commandOf(pid: number): string {
  return readIfThere(`/proc/${pid}/cmdline`)
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
