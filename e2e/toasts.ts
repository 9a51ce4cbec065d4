import type { Locator, Page } from '@playwright/test'

/** The short-lived messages at the bottom of the page. */
export function toasts(page: Page): Locator {
  return page.getByRole('region', { name: 'Messages' }).getByRole('listitem')
}
