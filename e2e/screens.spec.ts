import { expect, type Page } from '@playwright/test'
import { expectGoodLooksInBothThemes, expectLightLooks } from './expect-good-looks.ts'
import { listenForComplaints } from './listen-for-complaints.ts'
import { type Demo, test as signedIn, signedOut } from './session.ts'

interface Screen {
  path: string | ((demo: Demo) => string)
  heading: string | RegExp
  /** Texts that the page must show. */
  texts: string[]
}

/** Pages in states that no other file checks: with all of the demo's data, or with no search result. */
const SCREENS: Screen[] = [
  {
    path: '/dashboard',
    heading: 'Dashboard',
    texts: [
      'Total Leads',
      'Total Deals',
      'Deal Value',
      'Conversion Rate',
      'Deal Pipeline',
      'Recent Leads',
      'Recent Deals',
      'Recent Activity',
    ],
  },
  { path: '/leads', heading: 'Leads', texts: ['Sync from CRM', 'Debug', 'New Lead', 'Filters', 'Page 1'] },
  {
    path: ({ leadLoid }) => `/leads/${leadLoid}`,
    heading: /./,
    texts: ['Primary Information', 'Business Details', 'Status History', 'Latest', 'Notes', 'Add Note', 'Industry'],
  },
  {
    path: '/deals',
    heading: 'Deals',
    texts: ['Total Deals', 'Won Deals', 'Total Value', 'Avg Deal Size', 'Sort by Amount', 'Filters'],
  },
  {
    path: ({ dealLoid }) => `/deals/${dealLoid}`,
    heading: /./,
    texts: [
      'Re-sync',
      'Contact Person',
      'Details',
      'Notes',
      'Deal Summary',
      'Stage History',
      'Recent Activity',
      'Closing Date',
    ],
  },
  {
    path: '/api-docs',
    heading: 'API Docs',
    texts: [
      'Base URL',
      'Authentication',
      'Your session token',
      'Endpoints',
      'Code examples',
      'Webhooks',
      'Error codes',
      'Rate limits',
      'Support',
    ],
  },
  { path: '/activity', heading: 'Activity', texts: ['Who', 'Type', 'Date To'] },
  { path: '/security', heading: 'Security Log', texts: ['Who', 'Signed in'] },
  { path: '/search?q=a', heading: 'Search Results', texts: ['Quick Actions', 'Leads', 'Deals'] },
  {
    path: '/search?q=nobody%20has%20this%20name',
    heading: 'Search Results',
    texts: ['0 results', 'Business or contact names', 'Email or phone', 'LOID', 'Loan types or industries'],
  },
]

const WITHOUT_TOKEN = {
  path: '/reset-password',
  heading: 'Choose a new password',
  texts: ['Invalid or missing reset token. Please request a new password reset.'],
}

/** Other files also check the looks of these forms when they are filled in or show messages. */
const OPEN_FORMS = [
  { path: '/login', heading: 'Sign in', texts: ['Forgot your password?', 'Create Partner Account'] },
  {
    path: '/signup',
    heading: 'Create your account',
    texts: ['First name', 'Last name', 'Email', 'Business name', 'Password', 'Confirm password'],
  },
  { path: '/forgot-password', heading: 'Forgot your password?', texts: ['Email', 'Back to sign in'] },
  {
    path: '/reset-password?token=x',
    heading: 'Choose a new password',
    texts: ['New password', 'Confirm new password'],
  },
]
const FORMS = [
  {
    path: '/leads/new',
    heading: 'New Lead',
    texts: [
      'Personal Information',
      'Business Information',
      'Loan Information',
      'Property Information (optional)',
      'Additional Details',
      'Submit Lead',
      'Cancel',
    ],
  },
  {
    path: '/webhook',
    heading: 'Webhook',
    texts: ['URL Configuration', 'How deliveries work', 'Webhook Log', 'Search', 'Filters'],
  },
  {
    path: '/api-keys',
    heading: 'API Keys',
    texts: ['Usage example', 'Using your key', 'permanent and do not expire'],
  },
  {
    path: '/team',
    heading: 'Team',
    texts: ['Invite a Person', 'People', 'You', 'Roles', 'Owner', 'Member', 'Viewer'],
  },
  {
    path: '/profile',
    heading: 'Profile Settings',
    texts: ['Personal Information', 'Change Password', 'Business name', 'Email', 'Phone', 'Security', 'Notifications'],
  },
  {
    path: '/profile/security',
    heading: 'Security',
    texts: ['Second factor', 'Passkeys', 'Everything that can get in', 'Remove all but this device'],
  },
  { path: '/profile/notifications', heading: 'Notifications', texts: ['At once', 'Digest', 'Never', 'Time zone'] },
]

for (const screen of SCREENS) {
  const name = pathOf(screen, { token: '', leadLoid: '{loid}', dealLoid: '{loid}' })
  signedIn(`${name} is complete and accessible in both themes`, async ({ page, demo }) => {
    await expectComplete(page, pathOf(screen, demo), screen, expectGoodLooksInBothThemes)
  })
}

signedIn(
  'on a phone the pages are complete and cause no errors or warnings in the browser',
  { tag: '@mobile' },
  async ({ page, demo }) => {
    for (const screen of SCREENS) await expectComplete(page, pathOf(screen, demo), screen)
  },
)

signedOut('/reset-password without a token is complete and accessible in both themes', async ({ page }) => {
  await expectComplete(page, WITHOUT_TOKEN.path, WITHOUT_TOKEN, expectGoodLooksInBothThemes)
})

signedOut(
  'the forms for signed-out visitors are complete and accessible, and cause no errors or warnings in the browser',
  { tag: '@everywhere' },
  async ({ page }) => {
    for (const form of OPEN_FORMS) await expectComplete(page, form.path, form, expectLightLooks)
  },
)

signedIn(
  'the forms for signed-in people are complete and accessible, and cause no errors or warnings in the browser',
  { tag: '@everywhere' },
  async ({ page }) => {
    for (const form of FORMS) await expectComplete(page, form.path, form, expectLightLooks)
  },
)

function pathOf({ path }: Screen, demo: Demo): string {
  return typeof path === 'string' ? path : path(demo)
}

async function expectComplete(
  page: Page,
  path: string,
  { heading, texts }: Screen,
  also?: (page: Page) => Promise<void>,
): Promise<void> {
  const complaints = listenForComplaints(page)
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
  await expect(page.getByRole('status', { name: /^(Loading|Searching)/ })).toHaveCount(0)
  const main = page.getByRole('main')
  for (const text of texts) {
    const found = main.getByText(text).or(main.getByLabel(text)).filter({ visible: true })
    await expect(found.first(), text).toBeVisible()
  }
  await also?.(page)
  expect(complaints, path).toEqual([])
}
