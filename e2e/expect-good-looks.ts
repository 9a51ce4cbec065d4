import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type Page, test } from '@playwright/test'

/** A third of the length of what the package gives as its source, which each document would have to read. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const EVERYTHING = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const COLOURS = ['color-contrast', 'link-in-text-block']
const SIZES = ['target-size', 'scrollable-region-focusable']
/** Takes axe as long as all else. What a phone shows is judged there, and the rest of a desktop's page once a screen. */
const NO_SIZES_OF_TARGETS = { 'target-size': { enabled: false } }
/** A mark that fades keeps the colours of the scheme that it began in, and the bar at the top hides a part of what is scrolled under it. */
const STAND_STILL = `scrollTo(0, 0)
for (const one of document.getAnimations()) if (one.effect.getComputedTiming().endTime < Infinity) one.finish()`

/**
 * The page as it stands is accessible in light, and what it shows fits the screen. A desktop's page is laid out as on a
 * phone, too, in dark, so that a test need not be repeated on a phone for its looks.
 */
export async function expectGoodLooks(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  // The browser reads axe as long as it runs it: once for each document.
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

/** Sizes, and colours in dark, at the width that the page has: on a desktop also of what a phone does not show. */
export async function expectGoodLooksInDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectNoViolations(page, [...SIZES, ...COLOURS])
}

async function expectNoViolations(page: Page, runOnly: string[], rules = {}): Promise<void> {
  await page.evaluate(STAND_STILL)
  // Describing the passed checks as well would take axe more than twice as long.
  const options = JSON.stringify({ runOnly, rules, resultTypes: ['violations'], iframes: false })
  const found = await page.evaluate<string[]>(`axe.run(${options}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`)
  expect(found, `axe with ${runOnly}`).toEqual([])
}

async function expectToFit(page: Page): Promise<void> {
  expect(await page.evaluate('scrollTo(1000, scrollY), scrollX'), 'scrolled sideways').toBe(0)
}

/** As narrow as a phone, and made for fingers. */
async function onPhone(page: Page, look: () => Promise<void>): Promise<void> {
  const size = page.viewportSize()
  const fingers = await page.context().newCDPSession(page)
  await fingers.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  await page.setViewportSize({ width: 390, height: 844 })
  await look()
  if (size) await page.setViewportSize(size)
  // To detach the session would take a page's passkeys with it.
  await fingers.send('Emulation.setTouchEmulationEnabled', { enabled: false })
}
