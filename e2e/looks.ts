import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** Dark differs from light in its colours only. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** What the page as it stands must be in light and in dark: accessible, and no wider than the screen. */
export async function expectGoodLooks(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const axe = new AxeBuilder({ page }).setLegacyMode()
    const { violations } = await (colorScheme === 'light' ? axe.withTags(TAGS) : axe.withRules(COLOUR_RULES)).analyze()
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    expect(found, `axe in ${colorScheme}`).toEqual([])
    expect(await page.evaluate('scrollTo(1000, scrollY), scrollX'), `scrolled sideways in ${colorScheme}`).toBe(0)
  }
}

/** Everything that the browser complains about on the page from now on. */
export function listenForComplaints(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.text()} ${message.location().url}`)
  })
  return complaints
}
