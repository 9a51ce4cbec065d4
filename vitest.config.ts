import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { keepTemporaryFilesInMemory } from './temporary-files.config.ts'

keepTemporaryFilesInMemory()

// Workers, and the processes that tests start, reuse the modules that the last run compiled.
process.env['NODE_COMPILE_CACHE'] ??= `${import.meta.dirname}/node_modules/.cache/compile`
// Half of a test's time is waiting, so there are four more workers than processors. The test database has room for six.
process.env['VITEST_MAX_WORKERS'] ??= String(Math.min(availableParallelism() + 4, 6))

// A worker loads modules once for all its test files, and keeps its CRM sandbox. See CONTRIBUTING.md.
const isolate = false

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
          // The tests run real processes and a real database, on a machine of unknown speed.
          testTimeout: 90_000,
          hookTimeout: 120_000,
          isolate,
          experimental,
        },
      },
      {
        test: {
          name: 'crm-sandbox',
          include: ['crm-sandbox/src/**/*.test.ts'],
          testTimeout: 30_000,
          isolate,
          experimental,
        },
      },
      'web',
      { test: { name: 'scripts', include: ['scripts/**/*.test.ts'], testTimeout: 60_000, isolate, experimental } },
    ],
  },
})
