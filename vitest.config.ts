import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'contract', include: ['contract/src/**/*.test.ts'] } },
      {
        test: {
          name: 'server',
          include: ['server/src/**/*.test.ts'],
          // Real processes and a real database on whatever machine this is.
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: 'crm-sandbox', include: ['crm-sandbox/src/**/*.test.ts'], testTimeout: 30_000 } },
      {
        plugins: [react()],
        test: { name: 'web', environment: 'jsdom', include: ['web/src/**/*.test.{ts,tsx}'] },
      },
      { test: { name: 'scripts', include: ['scripts/**/*.test.ts'], testTimeout: 30_000 } },
    ],
  },
})
