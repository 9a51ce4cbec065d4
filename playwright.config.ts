import { defineConfig } from '@playwright/test'
import { launchOptions } from './chromium.config.ts'
import { portalUrl } from './e2e/addresses.ts'
import { DESKTOP, PHONE } from './e2e/screen-sizes.ts'
import { keepTemporaryFilesInMemory } from './temporary-files.config.ts'

keepTemporaryFilesInMemory()
// The journeys' processes reuse the modules that the last run compiled.
process.env['NODE_COMPILE_CACHE'] ??= `${import.meta.dirname}/node_modules/.cache/compile`

export default defineConfig({
  testDir: './e2e',
  fullyParallel: true,
  // One of the workers mostly waits for killed servers, which need a long time to be ready again.
  workers: 3,
  // On a busy machine a browser is sometimes late. `npm test` lists the tests that needed a second try, with the reasons.
  retries: 1,
  forbidOnly: Boolean(process.env['CI']),
  // Long enough on a busy machine for every test except recovery.spec.ts, which sets a longer time. Each single wait
  // has its own limit.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  use: {
    baseURL: portalUrl,
    // Tracing every first try would slow all tests down. The trace of a failed test's second try shows enough.
    trace: 'on-first-retry',
    // Recording needs a program that Playwright would have to download.
    video: 'off',
    locale: 'en-AU',
    timezoneId: 'Australia/Sydney',
    // While a test waits, animations take more CPU time than the page itself. Only the journey of a lead runs with
    // animations.
    contextOptions: { reducedMotion: 'reduce' },
    // With fewer processes, a window takes a quarter less CPU time. Optimising code that lives for seconds takes more
    // time than it saves.
    launchOptions: {
      ...launchOptions,
      args: [
        ...launchOptions.args,
        '--in-process-gpu',
        '--renderer-process-limit=2',
        '--js-flags=--no-opt --no-maglev',
      ],
    },
  },
  // A test runs on the desktop, or on the phone if it is about the phone (`@mobile`). A test about both sizes
  // (`@everywhere`) runs on both.
  projects: [
    {
      name: 'mobile',
      grep: /@(mobile|everywhere)/,
      use: PHONE,
      // A worker serves one project only, and each worker starts a browser of its own. The few tests on the phone come
      // first, so that one worker has time for all of them.
      workers: 1,
    },
    // The files run in the order of their names. The longest tests are in `e2e/big`, because the last one of them would run
    // alone at the end.
    { name: 'desktop', grepInvert: /@mobile/, use: DESKTOP },
  ],
  webServer: {
    command: 'node e2e/serve.ts',
    url: `${portalUrl}/api/ready`,
    timeout: 180_000,
    // Shows why the server did not start.
    stdout: 'pipe',
    gracefulShutdown: { signal: 'SIGTERM', timeout: 15_000 },
  },
})
