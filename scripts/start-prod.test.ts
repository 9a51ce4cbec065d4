import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'

const SCRIPTS = import.meta.dirname
const VITE = path.join(SCRIPTS, '../node_modules/vite/bin/vite.js')

test('the server from npm run build starts, sets up a database and stops', async () => {
  execFileSync(process.execPath, [VITE, 'build', '--config', path.join(SCRIPTS, 'bundle-server.mjs')])
  const listed = await readFile(path.join(SCRIPTS, '../server/dist/sbom.cdx.json'), 'utf8')
  for (const name of ['fastify', 'react', 'pg']) expect(listed).toContain(`"purl": "pkg:npm/${name}@`)
  expect(listed).not.toContain('"purl": "pkg:npm/vitest@')

  const folder = await mkdtemp(path.join(tmpdir(), 'portal-built-'))
  // A worker does not need a built web app.
  const settings = { ROLE: 'worker', DATA_DIR: folder, PORT: '0', CRM_PORT: '0', LOG_LEVEL: 'warn' }
  const script = path.join(SCRIPTS, 'start-prod.mjs')
  const child = spawn(process.execPath, [script], { env: { ...process.env, NODE_ENV: 'development', ...settings } })
  let said = ''
  let command = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
      // The announcement ends with this line.
      if (child.killed || !said.includes('Ctrl+C')) return
      command = execFileSync('ps', ['-o', 'args=', '-p', String(child.pid)], { encoding: 'utf8' })
      child.kill('SIGTERM')
    })
  }
  const [code] = await once(child, 'close')
  await rm(folder, { recursive: true, force: true })
  expect(command).toContain('--no-allocation-site-pretenuring')
  expect(said).toMatch(/Portal worker +http/)
  expect(said).not.toMatch(/ERROR|FATAL/)
  expect(code).toBe(0)
})
