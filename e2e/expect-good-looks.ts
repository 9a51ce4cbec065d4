import AxeBuilder from '@axe-core/playwright'
import { expect, type Page, test } from '@playwright/test'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']
/** A mark that fades keeps the colours of the scheme that it began in, and the bar at the top hides a part of what is scrolled under it. */
const STAND_STILL = `scrollTo(0, 0)
for (const one of document.getAnimations()) if (one.effect.getComputedTiming().endTime < Infinity) one.finish()`

/**
 * The page as it stands is accessible, and no wider than the screen. Dark differs from light in its colours only, and a
 * phone shows the same colours as a desktop: axe sees light on both, and the dark colours once.
 */
export async function expectGoodLooks(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  await expectNoViolations(page, 'light')
  if (test.info().project.name === 'desktop') await expectNoViolations(page, 'dark')
  expect(await page.evaluate('scrollTo(1000, scrollY), scrollX'), 'scrolled sideways').toBe(0)
}

async function expectNoViolations(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.evaluate(STAND_STILL)
  // To describe what passed, too, takes axe more than twice as long.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
  const { violations } = await (colorScheme === 'light' ? axe.withTags(TAGS) : axe.withRules(COLOUR_RULES)).analyze()
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  expect(found, `axe in ${colorScheme}`).toEqual([])
}
