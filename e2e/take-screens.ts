// `npm run screens`: takes the pictures that the documents show, as one sees them in a fresh demo, and keeps their texts
// in e2e/screens, which a test compares with the demo (dashboard.spec.ts). With
// `-- --only=/leads,/deals` or `-- --all`, it takes whole pages instead, at four widths and in both themes, and saves
// them to .cache/screens.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium } from '@playwright/test'
import { type DemoPage, findDemoPages } from '../bench/demo-pages.ts'
import { startProduct, withEmptyFolder } from '../bench/product.ts'
import { launchOptions } from '../chromium.config.ts'
import { readPictureTexts } from './picture-texts.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const SHOWN = path.join('docs', 'screens')
const TEXTS = path.join(ROOT, 'e2e', 'screens')
const NOT_SHOWN = path.join('.cache', 'screens')
const WIDTHS = [
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
  { width: 820, height: 1180 },
  { width: 390, height: 844 },
]
/** On a busy machine the font is too late for the first text, and the page does without it (`font-display: optional`). */
const USE_FONT = `(async () => {
  const file = await fetch(document.querySelector('meta[name=font]').content)
  const font = new FontFace('Inter Variable', await file.arrayBuffer(), { weight: '400 600' })
  document.fonts.add(await font.load())
})()`
/**
 * Parts of a page come after the others. An idle network would be no sign that all are there, because the page keeps
 * listening for changes.
 */
const UNTIL_AT_REST = `new Promise((resolve) => {
  let rest
  const waitAgain = () => {
    clearTimeout(rest)
    rest = setTimeout(resolve, 500)
  }
  new MutationObserver(waitAgain).observe(document, { subtree: true, childList: true, attributes: true })
  waitAgain()
})`
/** A page as tall as its window may grow again, once or twice. */
const TRIES_MAX = 5
const THEMES = ['light', 'dark'] as const
const { values: options } = parseArgs({ options: { only: { type: 'string' }, all: { type: 'boolean' } } })
const only = options.only?.split(',')
const isWhole = options.all === true || only !== undefined
const folder = path.join(ROOT, isWhole ? NOT_SHOWN : SHOWN)
const shown = findShownPictures()

type Picture = { page: DemoPage; viewport: (typeof WIDTHS)[number]; theme: (typeof THEMES)[number]; file: string }

await withEmptyFolder(async (dataDir) => {
  const product = await startProduct(dataDir, { SEED_DEMO: 'true' })
  const browser = await chromium.launch(launchOptions)
  try {
    const { token, pages } = await findDemoPages(product.url)
    mkdirSync(folder, { recursive: true })
    const pictures = WIDTHS.flatMap((viewport) =>
      THEMES.flatMap((theme) =>
        pages.map((page) => ({ page, viewport, theme, file: `${fileName(page)}-${viewport.width}-${theme}.jpg` })),
      ),
    )
    for (const picture of pictures) {
      const isWanted = only ? only.includes(picture.page.name) : isWhole || shown.includes(picture.file)
      if (isWanted) await take(browser, product.url, token, picture)
    }
  } finally {
    await browser.close()
    await product.stop()
  }
})

async function take(browser: Browser, url: string, token: string, { page, viewport, theme, file }: Picture) {
  await using context = await browser.newContext({
    viewport,
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-AU',
    timezoneId: 'Australia/Sydney',
  })
  // The documents then use the font of a visitor who has come before.
  await context.addInitScript(`localStorage.setItem('portal-font', '')`)
  if (!page.isPublic) await context.addInitScript(`localStorage.setItem('auth_token', ${JSON.stringify(token)})`)
  const tab = await context.newPage()
  await tab.goto(url + page.path)
  await tab.locator(page.shows).first().waitFor()
  await tab
    .getByRole('status', { name: /^(Loading|Searching)/ })
    .first()
    .waitFor({ state: 'detached' })
  await tab.evaluate(USE_FONT)
  await tab.evaluate(UNTIL_AT_REST)
  if (isWhole) {
    // The window becomes as tall as the page, because the browser neither draws nor measures parts far below the window.
    let shown = 0
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const height = await tab.evaluate<number>('document.documentElement.scrollHeight')
      if (height === shown) break
      shown = height
      await tab.setViewportSize({ width: viewport.width, height })
      await tab.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    }
  }
  await tab.screenshot({ path: path.join(folder, file), fullPage: isWhole, type: 'jpeg', quality: 80 })
  if (!isWhole) writeFileSync(path.join(TEXTS, file.replace('.jpg', '.txt')), await readPictureTexts(tab))
  console.log(path.join(folder, file))
}

/** Turns `/leads/{loid}` into `leads-loid`. */
function fileName({ name }: DemoPage): string {
  return name.replace(/[{}]/g, '').replaceAll('/', '-').slice(1)
}

/** The names of the pictures in docs/screens that a document shows. */
function findShownPictures(): string[] {
  const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })
  return documents.flatMap((document) => {
    const text = readFileSync(path.join(ROOT, document), 'utf8')
    return [...text.matchAll(/screens\/([\w-]+\.jpg)/g)].flatMap(([, name]) => name ?? [])
  })
}
