import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type CDPSession, expect, type Page } from '@playwright/test'

/**
 * axe in its minified form, because each document has to parse it. The package's own `source` is more than twice as
 * long.
 */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/**
 * Leaves out the rule `target-size`, which takes axe as long as all other rules together. The rule is checked in the
 * phone's layout, where targets are closest together.
 */
const NO_SIZES_OF_TARGETS = { 'target-size': { enabled: false } }
/**
 * Scrolls to the top, because the top bar covers content that is scrolled under it. Ends all animations, because a
 * fading mark keeps the colours of the theme in which it began.
 */
const STAND_STILL = `scrollTo(0, 0)
for (const one of document.getAnimations()) if (one.effect.getComputedTiming().endTime < Infinity) one.finish()`
/** Checks only the dialog if one is open, because nobody can use the page behind it. */
const IN_USE = "[...document.querySelectorAll('dialog:modal')].at(-1) ?? document"

/** Detaching a session would remove the page's passkeys, so each page keeps its session. */
const sessions = new WeakMap<Page, CDPSession>()

/**
 * Checks that the page in its present state fits the screen, and that it is accessible in the phone's layout and the
 * dark theme. Axe checks only this combination, because each check takes half a second. `styles.test.ts` compares the
 * colours of both themes, and `screens.spec.ts` checks the pages in the desktop's layout and the light theme.
 */
export async function expectGoodLooks(page: Page): Promise<void> {
  await expectToFit(page)
  await onPhone(page, async () => {
    await expectAccessible(page, 'dark')
    await expectToFit(page)
  })
  await page.emulateMedia({ colorScheme: null })
}

/** Checks the page in the light theme and its present layout, and then as `expectGoodLooks` does. */
export async function expectGoodLooksInBothThemes(page: Page): Promise<void> {
  await expectLightLooks(page)
  await expectGoodLooks(page)
}

/** Checks that the page is accessible in the light theme and its present layout, and that it fits the screen. */
export async function expectLightLooks(page: Page): Promise<void> {
  await expectAccessible(page, 'light', NO_SIZES_OF_TARGETS)
  await expectToFit(page)
}

async function expectAccessible(page: Page, colorScheme: 'light' | 'dark', rules = {}) {
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  await page.emulateMedia({ colorScheme })
  await readAxe(page)
  await page.evaluate(STAND_STILL)
  // If axe also described the passed checks, it would take more than twice as long. The portal has no media that
  // axe would have to load beforehand.
  const options = JSON.stringify({ runOnly: RULES, rules, resultTypes: ['violations'], iframes: false, preload: false })
  const found = await page.evaluate<string[]>(`axe.run(${IN_USE}, ${options}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`)
  expect(found, `axe in the ${colorScheme} theme`).toEqual([])
}

const TOO_WIDE = `[...document.querySelectorAll('main :is(section, .panel, .frame)')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.className)`

async function expectToFit(page: Page) {
  expect(await page.evaluate('scrollTo(1000, scrollY), scrollX'), 'scrolled sideways').toBe(0)
  expect(await page.evaluate(TOO_WIDE), 'wider than the screen').toEqual([])
}

/**
 * Loads axe into the document, unless it is there already. The text of axe is not passed through `eval`, so the browser
 * compiles it only once for all documents.
 */
async function readAxe(page: Page): Promise<void> {
  if (await page.evaluate<boolean>("'axe' in window")) return
  const session = await openSession(page)
  await session.send('Runtime.evaluate', { expression: AXE })
}

/** Runs `look` while the page is as narrow as on a phone and is operated by touch. */
async function onPhone(page: Page, look: () => Promise<void>): Promise<void> {
  const size = page.viewportSize()
  const session = await openSession(page)
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  await page.setViewportSize({ width: 390, height: 844 })
  await look()
  if (size) await page.setViewportSize(size)
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: false })
}

async function openSession(page: Page): Promise<CDPSession> {
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, session)
  return session
}
