import type { Page } from '@playwright/test'

/**
 * The texts of a picture of the dashboard that are the same on each day: the menu, the headings, and what needs
 * attention. A picture that shows other ones is out of date.
 */
export async function readPictureTexts(page: Page): Promise<string> {
  const shown = page.locator(
    'aside nav a, main :is(h1, h2), main [aria-label="What needs attention"] li p:first-child a',
  )
  await page.getByRole('list', { name: 'What needs attention' }).getByRole('link').first().waitFor()
  const texts = await shown.evaluateAll(
    (all, bottom) =>
      all.flatMap((one) => {
        const { top, height } = one.getBoundingClientRect()
        return height > 0 && top < bottom ? (one.textContent ?? '').replace(/\d+( new)?|New: /g, '').trim() : []
      }),
    page.viewportSize()?.height ?? 0,
  )
  return `${texts.join('\n')}\n`
}
