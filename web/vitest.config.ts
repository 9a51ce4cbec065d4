import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [react()],
  test: {
    name: 'web',
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    testTimeout: 30_000,
    setupFiles: ['src/testing/setup.ts'],
    // One jsdom and one copy of the app for all files, which the set-up leaves as new after each test.
    isolate: false,
    // Australia has no daylight saving in Brisbane, so that a date's zone is the same all year.
    env: { TZ: 'Australia/Brisbane' },
  },
})
