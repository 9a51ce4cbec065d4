import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findRunningPostgres } from './platform/local/embedded-postgres.ts'
import { createDatabase } from './testing/databases.ts'
import { waitFor } from './testing/wait-for.ts'

const MAIN = join(import.meta.dirname, 'main.ts')

test('a portal that is stopped during its start exits with 0 and reports no failure', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-stopped-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const settings = { DATA_DIR: folder, PORT: '0', CRM_PORT: '0', SEED_DEMO: 'false', LOG_LEVEL: 'silent' }
  const portal = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  portal.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = once(portal, 'close')
  await waitFor('the database to run', () => findRunningPostgres(join(folder, 'postgres')))
  portal.kill('SIGTERM')
  expect([await ended, said]).toEqual([[0, null], ''])
})

test('a worker announces no page’s address, because it serves no pages', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-worker-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const { url } = await createDatabase()
  const settings = { ROLE: 'worker', DATA_DIR: folder, DATABASE_URL: url, PORT: '0', CRM_PORT: '0', SEED_DEMO: 'false' }
  const worker = spawn(process.execPath, [MAIN], { env: silent(settings), stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  worker.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = once(worker, 'close')
  await waitFor('the worker to start', async () => said.includes('Ctrl+C'))
  const ready = /^ {2}Portal worker +(\S+) +\(serves no pages\)$/m.exec(said)?.[1] ?? ''
  const answer = await fetch(ready)
  expect(answer.status).toBe(200)
  const { port } = new URL(ready)
  const [code, problem] = await startAndFail({ ...settings, PORT: port })
  worker.kill('SIGTERM')
  expect([code, problem]).toEqual([
    1,
    `The portal could not start: PORT is ${port}, but another program listens there: choose a free port\n`,
  ])
  expect(said).not.toMatch(/Partner portal|outbox/)
  await ended
})

async function startAndFail(settings: Record<string, string>): Promise<[number | null, string]> {
  const portal = spawn(process.execPath, [MAIN], { env: silent(settings), stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  portal.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code] = await once(portal, 'close')
  return [typeof code === 'number' ? code : null, said]
}

function silent(settings: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return { PATH, NODE_COMPILE_CACHE, ...settings, LOG_LEVEL: 'silent' }
}
