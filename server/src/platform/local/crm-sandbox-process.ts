import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import { takesConnections } from './takes-connections.ts'

export type CrmSandboxProcess = {
  url: string
  stop(): Promise<void>
}

export type CrmSandboxOptions = {
  /** 0 means any free port. */
  port: number
  dir: string
  /** Whether an empty sandbox is filled with demo data. */
  seed: boolean
  log: { debug(text: string): void; warn(text: string): void }
  script?: string
}

type Sandbox = { child: ChildProcess; exited: Promise<void>; lastWords(): string }

/** The sandbox that was built with the server, if this is the built server. */
declare const BUILT_SANDBOX: string | undefined
const SANDBOX = typeof BUILT_SANDBOX === 'string' ? BUILT_SANDBOX : 'crm-sandbox/src/main.ts'
const SCRIPT = path.resolve(import.meta.dirname, '../../../..', SANDBOX)
const STOP_MS_MAX = 3_000
const PREDECESSOR_MS_MAX = 1_500
const RESTART_DELAY_MS_MAX = 5_000

/** The message that the sandbox sends over IPC once it listens. */
const Ready = z.object({ ready: z.literal(true), url: z.url() })

/**
 * Runs the CRM sandbox as a separate process, like the real CRM. If it ends unexpectedly, it is started again at the
 * same address. When this process dies, the IPC channel closes and the sandbox exits.
 */
export async function startCrmSandboxProcess(options: CrmSandboxOptions): Promise<CrmSandboxProcess> {
  const { log } = options
  mkdirSync(options.dir, { recursive: true, mode: 0o700 })
  const first = await startWhenPortIsFree(options)
  const url = first.url
  writeFileSync(addressFile(options.dir), url)
  const samePort = { ...options, port: Number(new URL(url).port) }
  let sandbox = first.sandbox
  let isStopping = false

  async function supervise(): Promise<void> {
    while (true) {
      await sandbox.exited
      if (isStopping) return
      const { signalCode, exitCode } = sandbox.child
      log.warn(`The CRM sandbox ended (${signalCode ?? exitCode}) and is started again: ${sandbox.lastWords()}`)
      sandbox = await startAgain()
      if (isStopping) end(sandbox)
    }
  }

  async function startAgain(): Promise<Sandbox> {
    for (let delayMs = 100; ; delayMs = Math.min(2 * delayMs, RESTART_DELAY_MS_MAX)) {
      try {
        return (await startOnce(samePort)).sandbox
      } catch (error) {
        if (isStopping) return sandbox
        log.warn(error instanceof Error ? error.message : String(error))
        await sleep(delayMs)
      }
    }
  }

  const ended = supervise()
  return {
    url,
    stop() {
      if (!isStopping) {
        isStopping = true
        rmSync(addressFile(options.dir), { force: true })
        end(sandbox)
      }
      return ended
    },
  }
}

/** The address of the sandbox that another process runs on this folder, or undefined. */
export async function findRunningCrmSandbox(dir: string): Promise<string | undefined> {
  if (!existsSync(addressFile(dir))) return undefined
  const url = readFileSync(addressFile(dir), 'utf8')
  const { hostname: host, port } = new URL(url)
  // A killed portal leaves its file behind.
  return (await takesConnections({ host, port: Number(port) })) ? url : undefined
}

function addressFile(dir: string): string {
  return path.join(dir, 'address')
}

/**
 * Starts the sandbox, and waits for a moment if its port is taken. The sandbox of a killed portal frees the port soon,
 * but another program keeps the port.
 */
async function startWhenPortIsFree(options: CrmSandboxOptions): Promise<{ sandbox: Sandbox; url: string }> {
  const startedAt = performance.now()
  while (true) {
    try {
      return await startOnce(options)
    } catch (error) {
      const isPortTaken = error instanceof Error && error.message.includes('EADDRINUSE')
      if (!isPortTaken) throw error
      if (performance.now() - startedAt > PREDECESSOR_MS_MAX) {
        throw new Error(`CRM_PORT ${options.port} is taken by another program: stop it, or choose another CRM_PORT`, {
          cause: error,
        })
      }
      await sleep(100)
    }
  }
}

async function startOnce(options: CrmSandboxOptions): Promise<{ sandbox: Sandbox; url: string }> {
  const sandbox = spawnSandbox(options)
  const ready = new Promise<string>((resolve) => {
    sandbox.child.on('message', (message) => {
      const { success, data } = Ready.safeParse(message)
      if (success) resolve(data.url)
    })
  })
  const failed = sandbox.exited.then(() => {
    throw new Error(`The CRM sandbox did not start: ${sandbox.lastWords()}`)
  })
  // Once the sandbox is ready, the supervisor handles its end.
  failed.catch(() => undefined)
  return { sandbox, url: await Promise.race([ready, failed]) }
}

function spawnSandbox({ port, dir, seed, log, script = SCRIPT }: CrmSandboxOptions): Sandbox {
  // The child has its own process group, so that Ctrl-C in a terminal stops only this process, which then stops the
  // child.
  const child = spawn(process.execPath, [script], {
    env: {
      CRM_PORT: String(port),
      SANDBOX_DIR: dir,
      SANDBOX_SEED: String(seed),
      NODE_COMPILE_CACHE: getCompileCacheDir(),
    },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let tail = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-2_000)
    log.debug(text.trimEnd())
  })
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', (error) => {
      tail += error.message
      resolve()
    })
  })
  return { child, exited, lastWords: () => lastWords(tail) }
}

function end({ child, exited }: Sandbox): void {
  child.kill('SIGTERM')
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
  void exited.then(() => clearTimeout(impatience))
}

/**
 * The line that names the error, without the stack and the source around it. If there is no such line, the last line.
 */
function lastWords(text: string): string {
  const lines = text.trim().split('\n')
  return lines.findLast((line) => /^\w*Error\b/.test(line)) ?? (lines.at(-1) || 'it said nothing')
}
