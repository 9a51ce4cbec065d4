import { defineConfig, devices } from '@playwright/test'
import { launchOptions } from './chromium.config.ts'
import { portalUrl } from './e2e/addresses.ts'
import { keepTemporaryFilesInMemory } from './temporary-files.config.ts'

keepTemporaryFilesInMemory()
// The journeys' processes read their modules as the last run compiled them.
process.env['NODE_COMPILE_CACHE'] ??= `${import.meta.dirname}/node_modules/.cache/compile`

export default defineConfig({
  testDir: './e2e',
  fullyParallel: true,
  // One of them mostly waits: killed servers take their time to come back.
  workers: 3,
  // On a noisy machine a browser may be late once. `npm test` says how many were.
  retries: 1,
  forbidOnly: Boolean(process.env['CI']),
  // Long enough for every test on a machine with other work, too; what a test waits for has its own time.
  timeout: 90_000,
  expect: { timeout: 10_000 },
  use: {
    baseURL: portalUrl,
    // A trace or a picture of every first try would cost all of them time; the second try of a test that failed tells as much.
    trace: 'on-first-retry',
    // Recording needs a program that Playwright would have to download.
    video: 'off',
    locale: 'en-AU',
    timezoneId: 'Australia/Sydney',
    // What moves while a test waits costs more than the page itself. The journey is made with everything moving.
    contextOptions: { reducedMotion: 'reduce' },
    // A window costs a quarter less with fewer processes behind it.
    launchOptions: {
      ...launchOptions,
      args: [...launchOptions.args, '--in-process-gpu', '--renderer-process-limit=2'],
    },
  },
  // A test runs on the desktop, one about the phone on the phone; every screen and the journey of a lead are seen on both.
  projects: [
    {
      name: 'desktop',
      grepInvert: /@mobile/,
      use: { ...devices['Desktop Chrome'], viewport: { width: 1440, height: 900 } },
    },
    {
      name: 'mobile',
      grep: /@(mobile|everywhere)/,
      use: { ...devices['Pixel 7'], viewport: { width: 390, height: 844 } },
    },
  ],
  webServer: {
    command: 'node e2e/serve.ts',
    url: `${portalUrl}/api/ready`,
    // Why it did not start, if it did not.
    stdout: 'pipe',
    gracefulShutdown: { signal: 'SIGTERM', timeout: 15_000 },
  },
})
