import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type Page, test } from '@playwright/test'

/**
 * axe in its minified form, because each document has to parse it. The package's own `source` is three times as long.
 */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const EVERYTHING = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const COLOURS = ['color-contrast', 'link-in-text-block']
const SIZES = ['target-size', 'scrollable-region-focusable']
/**
 * Leaves out the rule `target-size`, which takes axe as long as all other rules together. The rule is checked in the
 * phone's layout, and once per screen on the desktop.
 */
const NO_SIZES_OF_TARGETS = { 'target-size': { enabled: false } }
/**
 * Scrolls to the top, because the top bar hides content below it. Ends all animations, because a fading mark keeps the
 * colours of the theme in which it began.
 */
const STAND_STILL = `scrollTo(0, 0)
for (const one of document.getAnimations()) if (one.effect.getComputedTiming().endTime < Infinity) one.finish()`

/**
 * Checks that the page in its present state is accessible in the light theme and fits the screen. On a desktop it also
 * checks the phone's layout in the dark theme, so no test has to run on a phone only for the looks.
 */
export async function expectGoodLooks(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  // Parsing axe takes the browser as long as running it, so each document parses it only once.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE)
  await page.emulateMedia({ colorScheme: 'light' })
  const isDesktop = test.info().project.name === 'desktop'
  await expectNoViolations(page, EVERYTHING, isDesktop ? NO_SIZES_OF_TARGETS : {})
  await expectToFit(page)
  if (!isDesktop) return
  await page.emulateMedia({ colorScheme: 'dark' })
  await onPhone(page, async () => {
    await expectNoViolations(page, [...SIZES, ...COLOURS])
    await expectToFit(page)
  })
}

/**
 * Checks sizes and the dark theme's colours at the page's own width. On a desktop this includes parts that a phone
 * hides.
 */
export async function expectGoodLooksInDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectNoViolations(page, [...SIZES, ...COLOURS])
}

async function expectNoViolations(page: Page, runOnly: string[], rules = {}): Promise<void> {
  await page.evaluate(STAND_STILL)
  // If axe also described the passed checks, it would take more than twice as long.
  const options = JSON.stringify({ runOnly, rules, resultTypes: ['violations'], iframes: false })
  const found = await page.evaluate<string[]>(`axe.run(${options}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`)
  expect(found, `axe with ${runOnly}`).toEqual([])
}

async function expectToFit(page: Page): Promise<void> {
  expect(await page.evaluate('scrollTo(1000, scrollY), scrollX'), 'scrolled sideways').toBe(0)
}

/** Runs `look` while the page is as narrow as a phone and is operated by touch. */
async function onPhone(page: Page, look: () => Promise<void>): Promise<void> {
  const size = page.viewportSize()
  const fingers = await page.context().newCDPSession(page)
  await fingers.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  await page.setViewportSize({ width: 390, height: 844 })
  await look()
  if (size) await page.setViewportSize(size)
  // Detaching the session would remove the page's passkeys.
  await fingers.send('Emulation.setTouchEmulationEnabled', { enabled: false })
}
