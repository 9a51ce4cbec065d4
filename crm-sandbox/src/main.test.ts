import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { at, fetchToken, send, until } from './test-sandbox.ts'

const MAIN = decodeURIComponent(new URL('./main.ts', import.meta.url).pathname)

function newFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'crm sandbox '))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/**
 * Starts the program and waits for the line that it prints. With `hasIpc`, `ipc` returns the message that the program
 * sent over the IPC channel.
 */
async function start(dir: string, more: { [name: string]: string } = {}, hasIpc = false) {
  const child: ChildProcess = spawn(process.execPath, [MAIN], {
    env: { ...process.env, CRM_PORT: '0', SANDBOX_DIR: dir, ...more },
    stdio: hasIpc ? ['ignore', 'pipe', 'inherit', 'ipc'] : ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  let ipc: unknown
  child.on('message', (message) => {
    ipc = message
  })
  let out = ''
  child.stdout?.on('data', (chunk) => {
    out += String(chunk)
  })
  await until(() => (out.includes('\n') ? true : undefined))
  const ready: unknown = JSON.parse(out)
  return { child, ready, url: String(at(ready, 'url')), ipc: () => ipc, out: () => out }
}

test('answered writes survive kill -9 at any moment', async () => {
  const dir = newFolder()
  const acknowledged: string[] = []
  for (let round = 0; ; round++) {
    const { child, url } = await start(dir)
    await send(url, 'POST', '/sandbox/behaviour', { tokenThrottle: false }, { 'content-type': 'application/json' })
    const headers = { authorization: `Zoho-oauthtoken ${await fetchToken(url)}` }
    const query = { select_query: 'select LOID from Leads where id is not null limit 2000' }
    const found = await send(url, 'POST', '/crm/v8/coql', query, headers)
    expect(found.rows.map((row) => row['LOID'])).toEqual(expect.arrayContaining(acknowledged))
    if (round === 3) break

    // Writes go on until the kill cuts one off. Only the writes that were answered before the kill count.
    const writing = (async () => {
      for (let count = 0; ; count++) {
        const loid = `LO-${round}${String(count).padStart(7, '0')}`
        await send(url, 'POST', '/crm/v8/Leads', { data: [{ Last_Name: 'x', LOID: loid }] }, headers)
        acknowledged.push(loid)
      }
    })().catch(() => undefined)
    const before = acknowledged.length
    await until(() => (acknowledged.length >= before + 10 ? true : undefined))
    child.kill('SIGKILL')
    await once(child, 'exit')
    await writing
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(30)
})

test('the sandbox says once that it is ready, in one line and over IPC, and ends with its parent', async () => {
  const { child, ready, url, ipc, out } = await start(newFolder(), { SANDBOX_SEED: 'true' }, true)
  expect(ready).toEqual({ ready: true, url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) })
  expect(await until(ipc)).toEqual(ready)
  const page = await (await fetch(url)).text()
  expect(page).toContain('Harbour Finance Brokers')
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(out().trim().split('\n')).toHaveLength(1)
})

test('nobody else on the machine may read the sandbox’s files, not even those of an earlier version', async () => {
  const dir = newFolder()
  writeFileSync(join(dir, 'crm.sqlite'), '')
  chmodSync(join(dir, 'crm.sqlite'), 0o644)
  await start(dir)
  const modes = readdirSync(dir).map((file) => [file, (statSync(join(dir, file)).mode & 0o777).toString(8)])
  expect(modes).toEqual(['crm.sqlite', 'crm.sqlite-shm', 'crm.sqlite-wal'].map((file) => [file, '600']))
})

test('SIGTERM stops the sandbox cleanly', async () => {
  const { child } = await start(newFolder())
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

async function refusal(port: string): Promise<string> {
  const child = spawn(process.execPath, [MAIN], { env: { ...process.env, CRM_PORT: port, SANDBOX_DIR: newFolder() } })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += String(chunk)
  })
  expect(await once(child, 'close')).toEqual([1, null])
  return said
}

test('a wrong setting or a taken port is named in one line', async () => {
  expect(await refusal('x')).toBe('CRM_PORT is "x", but must be a port number\n')
  const { url } = await start(newFolder())
  const { port } = new URL(url)
  expect(await refusal(port)).toBe(`CRM_PORT is "${port}", but must be a free port: another program listens there\n`)
})
