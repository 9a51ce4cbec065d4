import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

/** In place of the first check: takes a while, and needs a moment to end. */
const CHECK = `
const { writeFileSync } = require('node:fs')
setTimeout(() => undefined, 60_000)
process.once('SIGINT', () => setTimeout(() => { writeFileSync('ended', ''); process.exit() }, 200))
writeFileSync('begun', '')
`

test('npm test fails if --only names an unknown part, instead of running nothing', () => {
  const script = path.join(import.meta.dirname, 'test.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script, '--only=sever'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^--only=sever names no part: .*\bserver\b.*\n$/)])
})

test('a run that is stopped ends what it has started, begins nothing else, and fails', async () => {
  const { run, inRoot } = startCheck()
  await vi.waitFor(() => expect(existsSync(inRoot('begun'))).toBe(true), 30_000)
  run.kill('SIGTERM')
  expect(await once(run, 'exit')).toEqual([143, null])
  expect(existsSync(inRoot('ended'))).toBe(true)
  expect(existsSync(inRoot('next'))).toBe(false)
})

/** Starts the checks in a folder of its own, with programs that stand in for the first two. */
function startCheck(): { run: ChildProcess; inRoot: (name: string) => string } {
  const root = mkdtempSync(path.join(tmpdir(), 'npm test '))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const inRoot = (...names: string[]) => path.join(root, ...names)
  for (const folder of ['scripts', 'node_modules/.bin', 'node_modules/node/bin'])
    mkdirSync(inRoot(folder), { recursive: true })
  for (const name of ['test.mjs', 'set-up.mjs'])
    copyFileSync(path.join(import.meta.dirname, name), inRoot('scripts', name))
  writeFileSync(inRoot('package-lock.json'), '{}')
  const hash = createHash('sha256')
    .update(readFileSync(inRoot('package-lock.json')))
    .digest('hex')
  writeFileSync(inRoot('node_modules/.portal-install'), `${hash} test`)
  symlinkSync(process.execPath, inRoot('node_modules/node/bin/node'))
  writeFileSync(inRoot('check.cjs'), CHECK)
  // The first line of a script cannot name a program whose path has a blank.
  writeFileSync(inRoot('node_modules/.bin/oxlint'), `#!/bin/sh\nexec '${process.execPath}' check.cjs\n`, {
    mode: 0o755,
  })
  writeFileSync(inRoot('node_modules/.bin/biome'), '#!/bin/sh\ntouch next\n', { mode: 0o755 })
  const run = spawn(process.execPath, [inRoot('scripts/test.mjs'), '--only=check'], { stdio: 'ignore' })
  return { run, inRoot }
}
