import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readReports } from './read-reports.ts'

const ROOT = path.resolve(import.meta.dirname, '..')

/** Reads what Playwright reports about a test that passes on its second try, one that fails, and one that passes. */
function runJourneys() {
  const cache = path.join(ROOT, '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(path.join(cache, 'reports of tests '))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const inFolder = (name: string) => path.join(folder, name)
  writeFileSync(inFolder('playwright.config.mjs'), `export default { testMatch: 'journeys.mjs' }`)
  writeFileSync(
    inFolder('journeys.mjs'),
    `import { expect, test } from '@playwright/test'
    test('late', () => expect(test.info().retry).toBe(1))
    test('broken', () => expect(1).toBe(2))
    test('fine', () => expect(1).toBe(1))`,
  )
  const report = inFolder('playwright.json')
  const { status } = spawnSync(
    path.join(ROOT, 'node_modules', '.bin', 'playwright'),
    ['test', '--retries=1', '--reporter=json'],
    { cwd: folder, env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: report } },
  )
  expect(status).toBe(1)
  return readReports([], report)
}

test('a journey that passes on its second try counts as passed, and the reason for its first failure is known', () => {
  const { passed, failed, tests } = runJourneys()
  expect([passed, failed]).toEqual([2, 1])
  expect(tests.map(({ name, firstFailure }) => [name, firstFailure])).toEqual([
    ['late', expect.stringMatching(/^Error: expect\(received\)\.toBe\(expected\)/)],
    ['broken', undefined],
    ['fine', undefined],
  ])
})

test('reports that were not written have no tests', () => {
  expect(readReports(['/no/vitest.json'], '/no/playwright.json')).toEqual({ passed: 0, failed: 0, tests: [] })
})
