import { chromium, type Page } from '@playwright/test'
import { launchOptions } from '../chromium.config.ts'
import { RARE_WORD } from './scale-data.ts'
import type { BigPartner } from './scale-questions.ts'

/** As fast as a fast typist. */
const KEY_MS = 60
/** The page below has lists to choose from, which are comboboxes too. */
const INPUT = 'input[role=combobox]'

/**
 * Types names and LOIDs into the palette in a browser. Returns how many milliseconds after each last key the hit stood
 * there, by the page's own clock.
 */
export async function timePalette({ url, token, sample }: BigPartner, times: number): Promise<number[]> {
  const typings = [RARE_WORD, ...sample.leads.map(({ loid }) => loid)]
  const browser = await chromium.launch(launchOptions)
  try {
    const page = await browser.newPage()
    await page.goto(`${url}/api/health`)
    await page.evaluate(`localStorage.setItem('auth_token', ${JSON.stringify(token)})`)
    await page.goto(`${url}/deals`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.locator(INPUT).waitFor()
    const measured: number[] = []
    for (let i = 0; i < times; i++) measured.push(await timeOne(page, typings[i % typings.length] ?? ''))
    return measured.sort((a, b) => a - b)
  } finally {
    await browser.close()
  }
}

async function timeOne(page: Page, text: string): Promise<number> {
  await page.locator(INPUT).fill('')
  const hit = page.evaluate<number>(waitForHit(text))
  await page.keyboard.type(text, { delay: KEY_MS })
  return hit
}

/** The page's own script. */
function waitForHit(text: string): string {
  return `new Promise((resolve) => {
    const text = ${JSON.stringify(text)}
    let lastKeyAt = 0
    const noteKey = () => (lastKeyAt = performance.now())
    const isHit = ({ textContent }) => / · /.test(textContent) && textContent.toLowerCase().includes(text.toLowerCase())
    const observer = new MutationObserver(() => {
      const isTyped = document.querySelector('${INPUT}').value === text
      if (!isTyped || ![...document.querySelectorAll('[role=option]')].some(isHit)) return
      document.removeEventListener('keydown', noteKey, true)
      observer.disconnect()
      resolve(performance.now() - lastKeyAt)
    })
    observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
    document.addEventListener('keydown', noteKey, true)
  })`
}
