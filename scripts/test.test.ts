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
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '..')

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

/** The first test leaves something behind that fails its next try, and the second is late once. */
const LATE = `
import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
let rows = 0
test('alone', () => expect(++rows).toBe(1))
test('late', () => {
  const isLate = !existsSync('late')
  writeFileSync('late', '')
  expect([isLate, ++rows]).toEqual([false, 2])
})
`

test('a file with a failed test runs again as a whole, and what failed only the first time is told', async () => {
  const inRoot = makeRoot()
  writeFileSync(inRoot('late.test.mjs'), LATE)
  writeFileSync(inRoot('fine.test.mjs'), `import { test } from 'vitest'; test('fine', () => undefined)`)
  expect(runTests(inRoot)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /✗ tests .*✓ their second try .*Passed only on the second try:\n  late: AssertionError: .*\n3 passed, 0 failed\n$/s,
    ),
  })
  writeFileSync(
    inRoot('broken.test.mjs'),
    `import { expect, test } from 'vitest'; test('broken', () => expect(1).toBe(2))`,
  )
  expect(runTests(inRoot)).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/✗ tests .*✗ their second try .*Failed: tests\n3 passed, 1 failed\n$/s),
  })
})

test('if many files fail, nothing runs again', () => {
  const inRoot = makeRoot()
  for (let i = 0; i < 6; i++)
    writeFileSync(
      inRoot(`${i}.test.mjs`),
      `import { expect, test } from 'vitest'; test('broken', () => expect(1).toBe(2))`,
    )
  const { stdout } = runTests(inRoot)
  expect(stdout).not.toContain('second try')
  expect(stdout).toMatch(/\n0 passed, 6 failed\n$/)
})

/** Runs the tests of a folder with the real Vitest. */
function runTests(inRoot: (name: string) => string) {
  copyFileSync(path.join(import.meta.dirname, 'read-reports.ts'), inRoot('scripts/read-reports.ts'))
  rmSync(inRoot('node_modules/.bin/vitest'), { force: true })
  symlinkSync(path.join(ROOT, 'node_modules/.bin/vitest'), inRoot('node_modules/.bin/vitest'))
  const project = { test: { name: 'scripts', include: ['*.test.mjs'] } }
  writeFileSync(inRoot('vitest.config.mjs'), `export default ${JSON.stringify({ test: { projects: [project] } })}`)
  return spawnSync(process.execPath, [inRoot('scripts/test.mjs'), '--only=scripts'], {
    encoding: 'utf8',
    cwd: inRoot(''),
  })
}

/** Starts the checks, with programs that stand in for the first two. */
function startCheck(): { run: ChildProcess; inRoot: (name: string) => string } {
  const inRoot = makeRoot()
  writeFileSync(inRoot('check.cjs'), CHECK)
  // The first line of a script cannot name a program whose path has a blank.
  writeFileSync(inRoot('node_modules/.bin/oxlint'), `#!/bin/sh\nexec '${process.execPath}' check.cjs\n`, {
    mode: 0o755,
  })
  writeFileSync(inRoot('node_modules/.bin/biome'), '#!/bin/sh\ntouch next\n', { mode: 0o755 })
  const run = spawn(process.execPath, [inRoot('scripts/test.mjs'), '--only=check'], { stdio: 'ignore' })
  return { run, inRoot }
}

/** Makes a folder in which `npm test` can run, and where nothing is left to set up. */
function makeRoot(): (...names: string[]) => string {
  // Below the project's folder, so that its packages are found.
  const cache = path.join(ROOT, '.cache')
  mkdirSync(cache, { recursive: true })
  const root = mkdtempSync(path.join(cache, 'npm test '))
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
  return inRoot
}
