import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { keepTemporaryFilesInMemory } from './temporary-files.config.ts'

keepTemporaryFilesInMemory()

// Workers, and the processes that tests start, reuse the modules that the last run compiled.
process.env['NODE_COMPILE_CACHE'] ??= `${import.meta.dirname}/node_modules/.cache/compile`
// A part of a test's time is waiting, so there are two more workers than processors. The test database has room for six.
process.env['VITEST_MAX_WORKERS'] ??= String(Math.min(availableParallelism() + 2, 6))

// A worker loads modules once for all its test files, and keeps its CRM sandbox. See CONTRIBUTING.md.
const isolate = false

/**
 * After this time a test counts as hanging. The tests run real processes and a real database, and some machines are five
 * times slower than others.
 */
const HANGS_MS = 300_000

/** Node runs TypeScript itself, so only the web app needs Vite to read modules. */
const experimental = { viteModuleRunner: false, nodeLoader: false }

/** Test files that are short but slow, because they wait for processes. */
const SLOW = /\/(soak\/.*|trial\/.*|cli|backup|killed-process|jobs-commands|applicants)\.test\.ts$/

/**
 * Vitest runs the slowest files of the last run first, or the largest files if there was no earlier run. The files of
 * `SLOW` always come first, because a slow file at the end would run alone.
 */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => Number(SLOW.test(b.moduleId)) - Number(SLOW.test(a.moduleId)))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    projects: [
      { test: { name: 'contract', include: ['contract/src/**/*.test.ts'], isolate, experimental } },
      {
        test: {
          name: 'server',
          include: ['server/src/**/*.test.ts', 'soak/*.test.ts', 'trial/*.test.ts'],
          globalSetup: ['server/src/testing/global-setup.ts'],
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
          isolate,
          experimental,
        },
      },
      {
        test: {
          name: 'crm-sandbox',
          include: ['crm-sandbox/src/**/*.test.ts'],
          testTimeout: HANGS_MS,
          isolate,
          experimental,
        },
      },
      'web',
      { test: { name: 'scripts', include: ['scripts/**/*.test.ts'], testTimeout: HANGS_MS, isolate, experimental } },
    ],
  },
})
