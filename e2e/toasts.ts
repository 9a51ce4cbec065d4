import type { Locator, Page } from '@playwright/test'

/** What is told in passing, at the top of the page. */
export function toasts(page: Page): Locator {
  return page.getByRole('region', { name: 'Messages' }).getByRole('listitem')
}
