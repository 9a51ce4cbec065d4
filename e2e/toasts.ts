import type { Locator, Page } from '@playwright/test'

/** The passing messages at the top of the page. */
export function toasts(page: Page): Locator {
  return page.getByRole('region', { name: 'Messages' }).getByRole('listitem')
}
