import { expect, type Page } from '@playwright/test'

/** Opens a page and waits for its live stream. What changes before that, the page may learn only later. */
export async function openLive(page: Page, path: string): Promise<void> {
  const stream = page.waitForResponse((response) => response.url().endsWith('/api/live'))
  await page.goto(path)
  expect((await stream).status()).toBe(200)
}
