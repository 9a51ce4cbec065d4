// `npm run bench:web`: what a browser loads for each route, how soon a slow phone shows the page and what Lighthouse
// says. The times and scores are medians of five runs. `-- --runs=1` is quicker; `-- --only=/leads,/deals` measures
// these routes only.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { type BrowserContext, type CDPSession, chromium, type Page } from '@playwright/test'
import { launchOptions } from '../chromium.config.ts'
import { type DemoPage, findDemoPages } from './demo-pages.ts'
import { startProduct, withEmptyFolder, withTemporaryFolder } from './product.ts'

const DEBUGGING_PORT = 9_422
const VISIBLE_MS_MAX = 60_000
/** Lighthouse's own slow phone: 4G at its slowest, a processor four times as slow as this machine's. */
const SLOW = { latency: 150, downloadThroughput: (1_638.4 * 1_024) / 8, uploadThroughput: (750 * 1_024) / 8 }
/** The same phone in the country. */
const FAR = { latency: 400, downloadThroughput: 400_000 / 8, uploadThroughput: 400_000 / 8 }
const SLOW_PROCESSOR = 4
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const

const { values: options } = parseArgs({
  options: { runs: { type: 'string', default: '5' }, only: { type: 'string' } },
})
const runs = Number(options.runs)

await withEmptyFolder(async (folder) => {
  const product = await startProduct(folder, { SEED_DEMO: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' })
  const { pages, token } = await findDemoPages(product.url)
  console.log(
    `medians of ${runs}; slow: 1.6 Mbit/s, 150 ms; far: 400 kbit/s, 400 ms; processor ${SLOW_PROCESSOR} times slower\n`,
  )
  console.log(`${' '.repeat(43)}brotli kB    visible, ms       Lighthouse mobile        Lighthouse desktop`)
  console.log(
    `${'route'.padEnd(34)}JS  later     CSS      slow     far    perf a11y best   CLS    perf a11y best   CLS`,
  )
  const only = options.only?.split(',')
  for (const page of pages.filter(({ name }) => only?.includes(name) ?? true)) {
    console.log(await measure(product.url, page, page.isPublic ? undefined : token))
  }
  await product.stop()
})

async function measure(url: string, page: DemoPage, token: string | undefined): Promise<string> {
  const { script, later, style } = await transferred(url, page, token)
  const slow = median(await repeat(() => msUntilVisible(url, page, token, SLOW)))
  const far = median(await repeat(() => msUntilVisible(url, page, token, FAR)))
  const mobile = await lighthouseScores(url, page, token, false)
  const desktop = await lighthouseScores(url, page, token, true)
  const cells = [
    page.name.padEnd(30),
    (script / 1_000).toFixed(0).padStart(6),
    (later / 1_000).toFixed(0).padStart(7),
    (style / 1_000).toFixed(1).padStart(8),
    slow.toFixed(0).padStart(10),
    far.toFixed(0).padStart(8),
    scoreCells(mobile),
    scoreCells(desktop),
  ]
  return cells.join('')
}

/**
 * Measures the files that a first visit with an empty cache transfers until the page is visible, without their headers.
 * `later` counts the scripts that load afterwards, for the stream and the toasts.
 */
async function transferred(url: string, page: DemoPage, token: string | undefined) {
  return inBrowser(url, token, async (tab, devtools) => {
    const begun = new Map<string, { kind: string; headers: number }>()
    const bytes = { script: 0, style: 0 }
    devtools.on('Network.responseReceived', ({ requestId, type, response }) => {
      begun.set(requestId, { kind: type, headers: response.encodedDataLength })
    })
    devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const { kind, headers = 0 } = begun.get(requestId) ?? {}
      if (kind === 'Script') bytes.script += encodedDataLength - headers
      if (kind === 'Stylesheet') bytes.style += encodedDataLength - headers
    })
    await devtools.send('Network.enable')
    await tab.goto(url + page.path)
    await shown(tab, page)
    const { script } = bytes
    await tab.locator('[aria-label=Messages]').waitFor({ state: 'attached' })
    return { ...bytes, script, later: bytes.script - script }
  })
}

/** Milliseconds from opening the address until a slow phone on this line shows the page's content. */
async function msUntilVisible(
  url: string,
  page: DemoPage,
  token: string | undefined,
  line: typeof SLOW,
): Promise<number> {
  return inBrowser(url, token, async (tab, devtools) => {
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', { offline: false, ...line })
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_PROCESSOR })
    const startedAt = performance.now()
    await tab.goto(url + page.path, { waitUntil: 'commit' })
    await shown(tab, page)
    return performance.now() - startedAt
  })
}

/** Waits until the page's content is visible. On the lists of leads and deals, this includes the last row. */
function shown(tab: Page, { shows, rows = 1 }: DemoPage): Promise<void> {
  return tab
    .locator(shows)
    .nth(rows - 1)
    .waitFor({ timeout: VISIBLE_MS_MAX })
}

interface Scores {
  performance: number
  accessibility: number
  'best-practices': number
  cls: number
}

async function lighthouseScores(
  url: string,
  page: DemoPage,
  token: string | undefined,
  isDesktop: boolean,
): Promise<Scores> {
  const all = await repeat(() =>
    inBrowser(url, token, async () => {
      const { categories, audits } = await runLighthouse(url + page.path, isDesktop)
      const score = (name: string) => Math.round((categories[name]?.score ?? 0) * 100)
      return {
        performance: score('performance'),
        accessibility: score('accessibility'),
        'best-practices': score('best-practices'),
        cls: audits['cumulative-layout-shift']?.numericValue ?? Number.NaN,
      }
    }),
  )
  const middle = (name: keyof Scores) => median(all.map((scores) => scores[name]))
  return {
    performance: middle('performance'),
    accessibility: middle('accessibility'),
    'best-practices': middle('best-practices'),
    cls: middle('cls'),
  }
}

interface LighthouseReport {
  runtimeError?: { message: string }
  categories: Record<string, { score: number | null }>
  audits: Record<string, { numericValue?: number }>
}

/** Runs Lighthouse as a command. An import would not type-check, because most installations leave Lighthouse out. */
async function runLighthouse(address: string, isDesktop: boolean): Promise<LighthouseReport> {
  const words = [
    address,
    `--port=${DEBUGGING_PORT}`,
    `--only-categories=${CATEGORIES.join(',')}`,
    '--disable-storage-reset',
    '--output=json',
    '--quiet',
    ...(isDesktop ? ['--preset=desktop'] : []),
  ]
  const program = join(import.meta.dirname, '../node_modules/.bin/lighthouse')
  const { stdout } = await promisify(execFile)(program, words, { maxBuffer: 64 * 1_024 * 1_024 })
  const report: LighthouseReport = JSON.parse(stdout)
  if (report.runtimeError) throw new Error(report.runtimeError.message)
  return report
}

/** Starts a new browser each time. Its cache is empty, and the visitor is signed in if the page requires it. */
async function inBrowser<Result>(
  url: string,
  token: string | undefined,
  work: (tab: Page, devtools: CDPSession) => Promise<Result>,
): Promise<Result> {
  let result: Result | undefined
  await withTemporaryFolder(async (folder) => {
    const context = await chromium.launchPersistentContext(folder, {
      ...launchOptions,
      args: [...launchOptions.args, `--remote-debugging-port=${DEBUGGING_PORT}`],
    })
    try {
      if (token) await signIn(context, url, token)
      const tab = await context.newPage()
      result = await work(tab, await context.newCDPSession(tab))
    } finally {
      await context.close()
    }
  })
  if (result === undefined) throw new Error('nothing was measured')
  return result
}

/** Stores the token from a page without scripts, so that none of the app's files is loaded before the measurement. */
async function signIn(context: BrowserContext, url: string, token: string): Promise<void> {
  const tab = await context.newPage()
  await tab.goto(`${url}/api/health`)
  await tab.evaluate(`localStorage.setItem('auth_token', ${JSON.stringify(token)})`)
  await tab.close()
}

async function repeat<Result>(measureOnce: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (let run = 0; run < runs; run++) results.push(await measureOnce())
  return results
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

function scoreCells(scores: Scores): string {
  const [performance, accessibility, practices] = CATEGORIES.map((name) => scores[name])
  const cells = [performance, accessibility, practices].map((score) => String(score).padStart(5))
  return `   ${cells.join('')}${scores.cls.toFixed(3).padStart(8)}`
}
