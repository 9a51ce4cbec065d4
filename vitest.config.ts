import { defineConfig } from 'vitest/config'

// Workers, and the processes that tests start, read their modules as the last run compiled them.
process.env['NODE_COMPILE_CACHE'] ??= `${import.meta.dirname}/node_modules/.cache/compile`

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'contract', include: ['contract/src/**/*.test.ts'] } },
      {
        test: {
          name: 'server',
          include: ['server/src/**/*.test.ts'],
          globalSetup: ['server/src/testing/global-setup.ts'],
          // Real processes and a real database on whatever machine this is.
          testTimeout: 30_000,
          hookTimeout: 60_000,
          // A worker keeps its modules and its CRM sandbox for all its files.
          isolate: false,
        },
      },
      { test: { name: 'crm-sandbox', include: ['crm-sandbox/src/**/*.test.ts'], testTimeout: 30_000 } },
      'web',
      { test: { name: 'scripts', include: ['scripts/**/*.test.ts'], testTimeout: 30_000 } },
    ],
  },
})
