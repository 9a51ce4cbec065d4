import { devices } from '@playwright/test'

/** No test looks at pixels, so only a quarter of them are drawn. */
const deviceScaleFactor = 0.5

export const DESKTOP = { ...devices['Desktop Chrome'], viewport: { width: 1440, height: 900 }, deviceScaleFactor }
export const PHONE = { ...devices['Pixel 7'], viewport: { width: 390, height: 844 }, deviceScaleFactor }
