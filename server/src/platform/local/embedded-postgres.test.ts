import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import * as z from 'zod/mini'
import { startEmbeddedPostgres } from './embedded-postgres.ts'

const quiet = { debug: () => undefined, warn: () => undefined }

let stateDir: string

beforeEach(() => {
  stateDir = mkdtempSync(path.join(os.tmpdir(), 'portal datenbank ä-'))
})

afterEach(() => {
  rmSync(stateDir, { recursive: true, force: true })
})

test('earlier writes are there after a stop and a quick second start', async () => {
  const startedAt = performance.now()
  const first = await startEmbeddedPostgres(stateDir, { log: quiet })
  const firstMs = performance.now() - startedAt
  await query(first.url, 'create table remarks (body text); insert into remarks values ($$first$$)')
  await first.stop()
  expect(processesIn(stateDir)).toEqual([])

  const startedAgainAt = performance.now()
  const second = await startEmbeddedPostgres(stateDir, { log: quiet })
  // The first start also makes the files of a database.
  expect(performance.now() - startedAgainAt).toBeLessThan(firstMs)
  expect(second.url).toBe(first.url)
  expect(await query(second.url, 'select body from remarks')).toEqual([{ body: 'first' }])
  await second.stop()
  await second.stop()
  expect(processesIn(stateDir)).toEqual([])
})

test('a killed PostgreSQL is started again at the same address, with every acknowledged write', async () => {
  const postgres = await startEmbeddedPostgres(stateDir, { log: quiet })
  await query(postgres.url, 'create table remarks (body text); insert into remarks values ($$acknowledged$$)')
  // Unlike a waiting statement, a busy statement holds the shared memory for a long time unless somebody ends it.
  const busy = query(postgres.url, 'select count(*) from generate_series(1, 10000000000)').catch(() => 'cut off')

  for (let round = 1; round <= 3; round++) {
    process.kill(postmasterPid(stateDir), 'SIGKILL')
    await vi.waitFor(() => query(postgres.url, 'insert into remarks values ($$later$$)'), { timeout: 60_000 })
  }
  expect(await busy).toBe('cut off')
  expect(await query(postgres.url, 'select body from remarks order by body')).toEqual([
    { body: 'acknowledged' },
    { body: 'later' },
    { body: 'later' },
    { body: 'later' },
  ])
  await postgres.stop()
  expect(processesIn(stateDir)).toEqual([])
})

test('when the portal is killed, PostgreSQL ends, and the next start finds all data', async () => {
  const portal = await startInOtherProcess(stateDir)
  await query(portal.url, 'create table remarks (body text); insert into remarks values ($$acknowledged$$)')
  portal.child.kill('SIGKILL')

  // The test does not wait before this start, so the predecessor may still be shutting down.
  const postgres = await startEmbeddedPostgres(stateDir, { log: quiet })
  expect(await query(postgres.url, 'select body from remarks')).toEqual([{ body: 'acknowledged' }])
  await postgres.stop()
  expect(processesIn(stateDir)).toEqual([])
})

test('a portal that is killed while it creates the database does not block the next start', async () => {
  const child = spawnStarter(stateDir)
  await vi.waitFor(() => expect(readdirSync(stateDir).some((name) => name.startsWith('init-'))).toBe(true), 5_000)
  child.kill('SIGKILL')
  await once(child, 'exit')

  const postgres = await startEmbeddedPostgres(stateDir, { log: quiet })
  expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await postgres.stop()
  // The next start removes the files that the killed process's child wrote after the kill.
  await (await startEmbeddedPostgres(stateDir, { log: quiet })).stop()
  expect(readdirSync(stateDir).filter((name) => name.startsWith('init-'))).toEqual([])
})

test('a second start on the same folder fails with the owner’s process id and leaves the first server alone', async () => {
  const first = await startEmbeddedPostgres(stateDir, { log: quiet })
  const owner = postmasterPid(stateDir)
  await expect(startEmbeddedPostgres(stateDir, { log: quiet })).rejects.toThrow(`is in use by process ${owner}`)
  expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await first.stop()
})

test('when two processes start a new database at the same time, one succeeds and the other is refused', async () => {
  const starts = await Promise.allSettled([startInOtherProcess(stateDir), startInOtherProcess(stateDir)])
  const running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  expect(running).toHaveLength(1)
  for (const { url, child } of running) {
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
    child.kill('SIGKILL')
  }
  await vi.waitFor(() => expect(processesIn(stateDir)).toEqual([]), 5_000)
})

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  // The statement also reports a broken connection. Without this listener, the error would end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query(sql)
    return rows
  } finally {
    await client.end()
  }
}

function postmasterPid(folder: string): number {
  return Number.parseInt(readFileSync(path.join(folder, 'pg18', 'postmaster.pid'), 'utf8'), 10)
}

function processesIn(folder: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`).startsWith(folder)
    } catch {
      return false
    }
  })
}

function spawnStarter(folder: string): ChildProcess {
  const program = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(path.join(import.meta.dirname, 'embedded-postgres.ts'))})
    const { url } = await startEmbeddedPostgres(process.argv[1], { log: { debug() {}, warn() {} } })
    process.send(url)`
  return spawn(process.execPath, ['--input-type=module', '-e', program, folder], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

async function startInOtherProcess(folder: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawnStarter(folder)
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve(z.string().parse(message)))
    child.once('exit', () => reject(new Error('refused')))
  })
  return { url, child }
}
