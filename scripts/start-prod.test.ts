import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

const SCRIPTS = import.meta.dirname

test.each(['start', 'start:prod'] as const)(
  'npm run %s gives Node its flags, so that no start begins twice',
  (name) => {
    const wanted = inSetUp('const [env] = Object.entries(SMALL.env); console.log(env.join("="), SMALL.flags.join(" "))')
    const given = /^(\w+=\w+) exec node (.*) scripts\//.exec(manifest.scripts[name])
    expect(given?.slice(1).join(' ')).toBe(wanted.trim())
  },
)

test('the built server starts, sets up a database and stops', async () => {
  inSetUp('await buildIfChanged(); await listPackages()')
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

/** Runs a program that uses the scripts, which have no types. */
function inSetUp(program: string): string {
  const imports = `import { listPackages } from './list-packages.mjs'; import { buildIfChanged, SMALL } from './set-up.mjs'`
  const words = ['--input-type=module', '-e', `${imports}; ${program}`]
  return execFileSync(process.execPath, words, { cwd: SCRIPTS, encoding: 'utf8' })
}
