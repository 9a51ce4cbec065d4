// What the document does before the app's code has arrived: it shows the page's frame or the form for signing in, keeps
// what somebody does in that form, and begins the page's calls.
import { expect, type Page } from '@playwright/test'
import { DEMO_SIGN_IN } from '../server/src/features/accounts/demo-sign-in.ts'
import { test as fresh } from './fresh-partner.ts'
import { signedOut, spend, test } from './session.ts'

const { email, password } = DEMO_SIGN_IN

signedOut('what is typed before the code arrives is kept, with the focus', async ({ page }) => {
  const arrive = await holdCode(page)
  await page.goto('/login', { waitUntil: 'commit' })
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').pressSequentially('part of ')
  arrive()
  await expect(page.getByRole('button', { name: /theme/ })).toBeVisible()
  await page.keyboard.type('it')
  await expect(page.getByLabel('Email')).toHaveValue(email)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('part of it')
})

signedOut('a form that is submitted before the code arrives is carried out when it is there', async ({ page }) => {
  const arrive = await holdCode(page)
  const addresses = recordAddresses(page)
  await page.goto('/login', { waitUntil: 'commit' })
  const submit = page.getByRole('button', { name: 'Sign in' })
  await page.getByLabel('Email').fill(email)
  await expect(submit).toBeDisabled()
  await page.getByLabel('Password').fill(password)
  await submit.click()
  await expect(page.getByRole('button', { name: 'Signing in' })).toBeVisible()
  await page.getByLabel('Password').press('Enter')
  arrive()
  await expect(page).toHaveURL('/dashboard')
  await expect(page.getByText(/^Welcome back, /)).toBeVisible()
  expect(addresses.filter((address) => address.startsWith('POST /api/auth/login'))).toHaveLength(1)
  expect(addresses.filter((address) => address.includes(encodeURIComponent(password)))).toEqual([])
})

for (const [reader, paths] of [
  ['visitor', ['/login', '/signup']],
  ['person', ['/dashboard', '/leads/new']],
] as const) {
  const testAs = reader === 'visitor' ? signedOut : test
  testAs(
    `what the document shows a ${reader} looks the same before the whole style sheet has come`,
    async ({ page }) => {
      for (const path of paths) {
        await test.step(path, async () => {
          await holdCode(page)
          const arrive = await holdFiles(page, 'css')
          await page.goto(path, { waitUntil: 'commit' })
          const looks = await readLooks(page, reader)
          arrive()
          await expect.poll(() => page.evaluate('document.styleSheets.length')).toBe(2)
          expect(await readLooks(page, reader)).toEqual(looks)
          await page.unrouteAll({ behavior: 'ignoreErrors' })
        })
      }
    },
  )
}

test('the document begins the calls of its page, and the app asks for nothing twice', async ({ page, demo }) => {
  const calls = {
    '/dashboard': 4,
    '/leads': 4,
    '/leads?page=2': 3,
    '/deals': 4,
    [`/leads/${demo.leadLoid}`]: 4,
    [`/deals/${demo.dealLoid}`]: 4,
    '/webhook': 3,
    '/api-keys': 3,
    '/api-docs': 2,
    '/profile': 2,
  }
  for (const [path, count] of Object.entries(calls)) {
    await test.step(path, async () => {
      // The page before may still ask for something. The browser keeps its process for this document (session.ts).
      await page.goto('/favicon.svg')
      const arrive = await holdCode(page)
      const addresses = recordAddresses(page)
      await page.goto(path, { waitUntil: 'commit' })
      const frame = page.getByRole('status', { name: 'Loading' })
      await expect(frame).toBeVisible()
      const heading = await frame.locator('p').allInnerTexts()
      await expect.poll(() => callsIn(addresses).length).toBe(count)
      const early = callsIn(addresses)
      arrive()
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByRole('status', { name: /^Loading/ })).toHaveCount(0)
      for (const text of heading) await expect(page.locator('main header').first()).toContainText(text)
      expect(
        callsIn(addresses)
          .filter((address) => early.includes(address))
          .toSorted(),
      ).toEqual(early.toSorted())
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      page.removeAllListeners('request')
    })
  }
})

signedOut('the document of the sign-in page asks once whether there is a demo', async ({ page }) => {
  const addresses = recordAddresses(page)
  await page.goto('/login')
  await expect(page.getByRole('button', { name: 'Use the demo account' })).toBeVisible()
  expect(callsIn(addresses)).toEqual(['GET /api/auth/demo'])
})

fresh(
  'the calls that the document began for one account are not shown to the next',
  async ({ page, partner, demo }) => {
    await page.evaluate((token) => localStorage.setItem('auth_token', token), demo.token)
    const arrive = await holdCode(page)
    const begun = page.waitForResponse(/\/api\/dashboard\/leads\?/)
    await page.goto('/leads', { waitUntil: 'commit' })
    await begun
    await page.evaluate((token) => localStorage.setItem('auth_token', token), partner.token)
    arrive()
    await expect(page.getByText("You haven't submitted any leads yet")).toBeVisible()
  },
)

signedOut('a visitor who is signed out sees no page and begins no call before the form', async ({ page }) => {
  const arrive = await holdCode(page)
  const addresses = recordAddresses(page)
  await page.goto('/leads', { waitUntil: 'commit' })
  await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(1)
  await expect(page.getByText('Home')).toBeHidden()
  arrive()
  await expect(page).toHaveURL('/login')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
  expect(addresses.filter((address) => address.includes('/dashboard'))).toEqual([])
  await page.goto('/')
  await expect(page).toHaveURL('/login')
})

signedOut('a script or style that the build did not put into the document does nothing', async ({ page }) => {
  spend(page)
  await page.route('/login', async (route) => {
    const response = await route.fetch()
    const evil = '<script>document.title = "evil"</script><style>h1 { color: rgb(1, 2, 3) }</style>'
    await route.fulfill({ response, body: (await response.text()).replace('</head>', `${evil}</head>`) })
  })
  const refused: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text())
  })
  await page.goto('/login')
  await expect(page.getByRole('button', { name: /theme/ })).toBeVisible()
  await expect(page).toHaveTitle(/^Sign in/)
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveCSS('color', 'rgb(1, 2, 3)')
  expect(refused).toHaveLength(2)
})

/** Holds the app's code back. Call the result to let it arrive. */
async function holdCode(page: Page): Promise<() => void> {
  return holdFiles(page, 'js')
}

async function holdFiles(page: Page, ending: 'js' | 'css'): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(`**/assets/*.${ending}`, async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

/** The places and colours of everything that the document shows. */
async function readLooks(page: Page, reader: string): Promise<unknown> {
  await expect(page.locator(`#root > [data-early=${reader}]`)).toBeVisible()
  return page.evaluate(`[...document.querySelectorAll('#root > [data-early=${reader}] *')].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    const { color, backgroundColor, borderColor, fontSize, fontWeight, opacity } = getComputedStyle(element)
    return [element.tagName, x, y, width, height, color, backgroundColor, borderColor, fontSize, fontWeight, opacity]
  })`)
}

function callsIn(addresses: string[]): string[] {
  return addresses.filter((address) => address.includes(' /api/'))
}

/** Records what the page requests from now on, as in `GET /api/health`. */
function recordAddresses(page: Page): string[] {
  const addresses: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    addresses.push(`${request.method()} ${pathname}${search}`)
  })
  return addresses
}
