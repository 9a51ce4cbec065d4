import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readReports } from './read-reports.ts'

const ROOT = path.resolve(import.meta.dirname, '..')

/** Reads what both runners report about a test that passes on its second try, one that fails, and one that passes. */
function runBoth() {
  const cache = path.join(ROOT, '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(path.join(cache, 'reports of tests '))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const inFolder = (name: string) => path.join(folder, name)
  const text = `
    import { appendFileSync, readFileSync } from 'node:fs'
    const tries = import.meta.filename + '.tries'
    test('late', () => {
      appendFileSync(tries, 'x')
      expect(readFileSync(tries, 'utf8')).toBe('xx')
    })
    test('broken', () => expect(1).toBe(2))
    test('fine', () => expect(1).toBe(1))`
  writeFileSync(inFolder('vitest.config.mjs'), 'export default {}')
  writeFileSync(inFolder('of-vitest.test.mjs'), `import { expect, test } from 'vitest'${text}`)
  writeFileSync(inFolder('playwright.config.mjs'), `export default { testMatch: 'of-playwright.mjs' }`)
  writeFileSync(inFolder('of-playwright.mjs'), `import { expect, test } from '@playwright/test'${text}`)
  const [vitest, playwright] = [inFolder('vitest.json'), inFolder('playwright.json')]
  const bin = path.join(ROOT, 'node_modules', '.bin')
  const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: playwright }
  const runs = [
    ['vitest', 'run', '--retry=1', '--reporter=json', `--outputFile.json=${vitest}`],
    ['playwright', 'test', '--retries=1', '--reporter=json'],
  ].map(([program = '', ...words]) => spawnSync(path.join(bin, program), words, { cwd: folder, env }))
  expect(runs.map(({ status }) => status)).toEqual([1, 1])
  return readReports(vitest, playwright)
}

test('a test that passes on its second try counts as passed, and the reason for its first failure is known', () => {
  const { passed, failed, tests } = runBoth()
  expect([passed, failed]).toEqual([4, 2])
  expect(tests.map(({ name, firstFailure }) => [name, firstFailure])).toEqual([
    ['late', expect.stringMatching(/^AssertionError: expected 'x' to be 'xx'/)],
    ['broken', undefined],
    ['fine', undefined],
    ['late', expect.stringMatching(/^Error: expect\(received\)\.toBe\(expected\)/)],
    ['broken', undefined],
    ['fine', undefined],
  ])
})

test('reports that were not written have no tests', () => {
  expect(readReports('/no/vitest.json', '/no/playwright.json')).toEqual({ passed: 0, failed: 0, tests: [] })
})
