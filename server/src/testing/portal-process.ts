import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { runCommand } from '../operator/run-command.ts'

export interface Ended {
  code: number | null
  out: string
  err: string
  /** What the command wrote to standard output as bytes. */
  bytes?: Buffer
}

const SERVER = join(import.meta.dirname, '..')

/** Makes a data folder, and runs the portal's real processes on it as `npm start` and `npm run portal` do. */
export async function openDataFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'portal data ä-'))
  const env = {
    ...process.env,
    NODE_ENV: 'development',
    NODE_COMPILE_CACHE: join(SERVER, '../../node_modules/.cache/compile'),
    DATA_DIR: folder,
    PORT: '0',
    CRM_PORT: '0',
    SEED_DEMO: 'false',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'silent',
  }

  const started: (() => Promise<void>)[] = []

  return {
    path: folder,
    /** Runs an operator's command to its end in this process, which takes a tenth of the time of a separate process. */
    async command(words: string[], more: Record<string, string> = {}, input: Buffer = Buffer.alloc(0)): Promise<Ended> {
      const ended: Ended = { code: null, out: '', err: '' }
      const output = new PassThrough()
      const written = buffer(output)
      ended.code = await runCommand(words, {
        env: { ...env, ...more },
        out: (text) => (ended.out += text),
        err: (text) => (ended.err += text),
        input: Readable.from([input]),
        output,
      })
      output.end()
      const bytes = await written
      return bytes.length === 0 ? ended : { ...ended, bytes }
    },
    /** Runs an operator's command in a separate process, as `npm run portal` does. */
    async program(words: string[], more: Record<string, string> = {}): Promise<Ended> {
      const child = spawn(process.execPath, [join(SERVER, 'cli.ts'), ...words], { env: { ...env, ...more } })
      const ended: Ended = { code: null, out: '', err: '' }
      child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.out += text))
      child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.err += text))
      const [code] = await once(child, 'close')
      return { ...ended, code: typeof code === 'number' ? code : null }
    },
    /** Starts the portal and waits until it has printed its addresses. */
    async start() {
      const child = spawn(process.execPath, [join(SERVER, 'main.ts')], { env, stdio: ['ignore', 'pipe', 'ignore'] })
      async function stop(): Promise<void> {
        if (child.exitCode !== null || child.signalCode !== null) return
        child.kill('SIGTERM')
        await once(child, 'close')
      }
      started.push(stop)
      let said = ''
      const ready = new Promise<void>((resolve) => {
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          said += text
          if (/CRM sandbox .*\n/.test(said)) resolve()
        })
      })
      const failed = once(child, 'close').then(() => {
        throw new Error(`the portal ended: ${said}`)
      })
      failed.catch(() => undefined)
      await Promise.race([ready, failed])
      return {
        url: /Partner portal +(\S+)/.exec(said)?.[1] ?? '',
        crmUrl: /CRM sandbox +(\S+)/.exec(said)?.[1] ?? '',
        stop,
        /** Ends the process as a crash would. Its sandbox ends with it, and its database when the portal starts again. */
        async kill() {
          child.kill('SIGKILL')
          await once(child, 'close')
        },
      }
    },
    /** Also stops processes that a failed test left running. */
    async [Symbol.asyncDispose]() {
      for (const stop of started) await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
