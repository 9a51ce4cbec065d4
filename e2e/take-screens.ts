// `npm run screens`: saves pictures of the pages in bench/demo-pages.ts, with the demo's data, to docs/screens, at two
// widths and in both themes. With `-- --only=/leads,/deals`, it takes only the pictures of these pages.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { chromium, type Page } from '@playwright/test'
import { type DemoPage, findDemoPages } from '../bench/demo-pages.ts'
import { startProduct, withEmptyFolder } from '../bench/product.ts'
import { launchOptions } from '../chromium.config.ts'
import { keepPartnerBusy } from './busy-partner.ts'

const FOLDER = path.resolve(import.meta.dirname, '../docs/screens')
const WIDTHS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]
const THEMES = ['light', 'dark'] as const
const { values: options } = parseArgs({ options: { only: { type: 'string' } } })
const only = options.only?.split(',')

await withEmptyFolder(async (dataDir) => {
  const product = await startProduct(dataDir, { SEED_DEMO: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' })
  const browser = await chromium.launch(launchOptions)
  try {
    await keepPartnerBusy(product, (await findDemoPages(product.url)).token)
    const { token, pages } = await findDemoPages(product.url)
    mkdirSync(FOLDER, { recursive: true })
    for (const viewport of WIDTHS) {
      for (const colorScheme of THEMES) {
        for (const page of pages.filter(({ name }) => !only || only.includes(name))) {
          const context = await browser.newContext({
            viewport,
            colorScheme,
            reducedMotion: 'reduce',
            locale: 'en-AU',
            timezoneId: 'Australia/Sydney',
          })
          if (!page.isPublic) {
            await context.addInitScript(`localStorage.setItem('auth_token', ${JSON.stringify(token)})`)
          }
          await take(
            await context.newPage(),
            product.url,
            page,
            `${fileName(page)}-${viewport.width}-${colorScheme}.jpg`,
          )
          await context.close()
        }
      }
    }
  } finally {
    await browser.close()
    await product.stop()
  }
})

async function take(tab: Page, url: string, page: DemoPage, file: string): Promise<void> {
  await tab.goto(url + page.path, { waitUntil: 'networkidle' })
  await tab.locator(page.shows).first().waitFor()
  // The window becomes as tall as the page, because the browser does not draw parts far below the window.
  const { width = 0 } = tab.viewportSize() ?? {}
  await tab.setViewportSize({ width, height: await tab.evaluate<number>('document.documentElement.scrollHeight') })
  await tab.screenshot({ path: path.join(FOLDER, file), fullPage: true, type: 'jpeg', quality: 80 })
  console.log(file)
}

/** Turns `/leads/{loid}` into `leads-loid`. */
function fileName({ name }: DemoPage): string {
  return name.replace(/[{}]/g, '').replaceAll('/', '-').slice(1)
}
