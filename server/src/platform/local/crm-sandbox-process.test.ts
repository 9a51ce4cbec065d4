import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import * as z from 'zod/mini'
import { startCrmSandboxProcess } from './crm-sandbox-process.ts'

// A program that behaves towards its supervisor as the sandbox does.
const STAND_IN = `
  import { createServer } from 'node:http'
  process.on('disconnect', () => process.exit(0))
  const server = createServer((_, response) => {
    const { SANDBOX_DIR, SANDBOX_SEED } = process.env
    response.end(JSON.stringify({ pid: process.pid, dir: SANDBOX_DIR, seed: SANDBOX_SEED }))
  })
  server.listen(Number(process.env.CRM_PORT), '127.0.0.1', () => {
    process.send({ ready: true, url: 'http://127.0.0.1:' + server.address().port })
  })`

const quiet = { debug: () => undefined, warn: () => undefined }

let folder: string

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'crm sandbox-'))
  writeFileSync(path.join(folder, 'stand-in.ts'), STAND_IN)
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function options() {
  return {
    port: 0,
    dir: path.join(folder, 'state'),
    seed: true,
    log: quiet,
    script: path.join(folder, 'stand-in.ts'),
  }
}

const StandInAnswer = z.object({ pid: z.number(), dir: z.string(), seed: z.string() })

async function ask(url: string) {
  const response = await fetch(url)
  return StandInAnswer.parse(await response.json())
}

test('the sandbox gets its folder and its seed setting, and stops when asked', async () => {
  const sandbox = await startCrmSandboxProcess(options())
  expect(await ask(sandbox.url)).toMatchObject({ dir: path.join(folder, 'state'), seed: 'true' })
  await sandbox.stop()
  await sandbox.stop()
  await expect(ask(sandbox.url)).rejects.toThrow('fetch failed')
})

test('a killed sandbox is started again at the same address', async () => {
  const sandbox = await startCrmSandboxProcess(options())
  const { pid } = await ask(sandbox.url)
  process.kill(pid, 'SIGKILL')
  const next = await vi.waitFor(() => ask(sandbox.url), 5_000)
  expect(next.pid).not.toBe(pid)
  await sandbox.stop()
})

test('the error names a port that another program uses', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await expect(startCrmSandboxProcess({ ...options(), port })).rejects.toThrow(
    `CRM_PORT ${port} is taken by another program`,
  )
  other.close()
})

test('the error says why the sandbox cannot start', async () => {
  writeFileSync(path.join(folder, 'stand-in.ts'), "throw new Error('state.json is not readable')")
  await expect(startCrmSandboxProcess(options())).rejects.toThrow(
    'The CRM sandbox did not start: Error: state.json is not readable',
  )
})

test('when the portal is killed, its sandbox ends, and the next portal gets the port', async () => {
  const program = `
    const { startCrmSandboxProcess } = await import(${JSON.stringify(path.join(import.meta.dirname, 'crm-sandbox-process.ts'))})
    const { url } = await startCrmSandboxProcess({ ...JSON.parse(process.argv[1]), log: { debug() {}, warn() {} } })
    process.send(url)`
  const portal = spawn(process.execPath, ['--input-type=module', '-e', program, JSON.stringify(options())], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const [url] = await once(portal, 'message')
  portal.kill('SIGKILL')

  const next = await startCrmSandboxProcess({ ...options(), port: Number(new URL(String(url)).port) })
  expect(next.url).toBe(url)
  await next.stop()
})
