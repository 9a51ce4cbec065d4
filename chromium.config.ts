import { existsSync, globSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/**
 * Finds a browser that is already installed, for Playwright and for measurements. `CHROMIUM_PATH` comes first. A
 * headless shell in any folder comes before a full browser, because it takes little more than half the CPU time.
 */
export function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH']
  if (named) return named
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/bin', '/usr/local/bin', '/snap/bin']
  const places = [
    ...names.flatMap((name) => folders.filter(Boolean).map((folder) => path.join(folder, name))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    ...globSync(path.join(os.homedir(), '.cache/ms-playwright/chromium-*/chrome-linux*/chrome')),
  ]
  return places.find((place) => existsSync(place))
}

export const launchOptions = {
  executablePath: findChromium(),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}
