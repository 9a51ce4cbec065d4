import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [react({ jsxImportSource: '#jsx' })],
  test: {
    name: 'web',
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    testTimeout: 120_000,
    // A busy machine must not make a test of a page fail.
    expect: { poll: { timeout: 30_000 } },
    setupFiles: ['src/testing/setup.ts'],
    // The files of one worker share one jsdom and one copy of the app. The set-up resets them after each test.
    isolate: false,
    // Brisbane has no daylight saving, so its offset is the same all year.
    env: { TZ: 'Australia/Brisbane' },
  },
})
