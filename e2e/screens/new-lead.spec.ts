import { expect, type Locator, type Page } from '@playwright/test'
import { expectGoodLooks } from '../expect-good-looks.ts'
import { test } from '../fresh-partner.ts'
import { spend } from '../session.ts'
import { toasts } from '../toasts.ts'
import { breakAnswers, holdAnswers } from '../trouble.ts'

const SUBMISSIONS = /\/api\/dashboard\/leads$/

/** The choices of section 3 of the specification, in the same order. */
const CHOICES = {
  'State/Region': 'NSW|VIC|QLD|WA|SA|TAS|ACT|NT',
  Industry:
    'Agriculture|Automotive|Construction|Education|Energy|Finance|Food & Beverage|Healthcare|Hospitality|Information Technology|Legal|Manufacturing|Real Estate|Retail|Transportation|Other',
  'Time in Business': 'Less than 1 year|1-2 years|2-5 years|5-10 years|10+ years',
  'Loan Type':
    'Term Loan|Equipment Financing|Line of Credit|SBA Loan|Invoice Factoring|Merchant Cash Advance|Commercial Real Estate|Working Capital|Asset Based Lending|Other',
  'Desired Term': '3 months|6 months|12 months|18 months|24 months|36 months|60 months|Other',
}

test('/leads/new has the fields of its five sections', async ({ page }) => {
  await page.goto('/leads/new')
  await expect(page.getByRole('heading', { level: 2 })).toHaveText([
    'Personal Information',
    'Business Information',
    'Loan Information',
    'Property Information (optional)',
    'Additional Details',
  ])
  for (const name of ['First Name', 'Last Name', 'Email', 'Phone', 'Business Name']) {
    await expect(field(page, name)).toHaveAttribute('aria-required', 'true')
  }
  for (const name of ['ABN', 'Monthly Turnover', 'Loan Amount', 'Loan Purpose', 'Additional Information']) {
    await expect(field(page, name)).not.toHaveAttribute('aria-required')
  }
  for (const [name, choices] of Object.entries(CHOICES)) {
    await expect(field(page, name).getByRole('option')).toHaveText(['Select…', ...choices.split('|')])
  }
  await expect(
    page.getByText(
      'By submitting, you confirm that the applicant has agreed to be referred and to be contacted about this application.',
    ),
  ).toBeVisible()

  await expect(field(page, 'Property Value')).toHaveCount(0)
  await page.getByLabel('The applicant owns property').check()
  await expect(field(page, 'Property Value')).toBeVisible()
  await expect(field(page, 'Outstanding Debt')).toBeVisible()
  await page.getByLabel('The applicant owns property').uncheck()
  await expect(field(page, 'Outstanding Debt')).toHaveCount(0)
})

test('/leads/new can stay open after a submission, with an empty form for the next lead', async ({ page }) => {
  await page.goto('/leads')
  await page.getByRole('link', { name: 'New Lead' }).click()
  const first = field(page, 'First Name')
  await expect(first).toBeFocused()
  await fillRequired(page)
  await page.getByRole('button', { name: 'Submit and add another' }).click()
  await expect(toasts(page).filter({ hasText: 'Ironbark Joinery was submitted as LO-' })).toBeVisible()
  await expect(first).toBeFocused()
  for (const name of ['First Name', 'Email', 'Phone', 'Business Name']) await expect(field(page, name)).toHaveValue('')
  await expectGoodLooks(page)
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page).toHaveURL('/leads')
  await expect(page.getByRole('link', { name: 'Ironbark Joinery', exact: true })).toHaveCount(1)
})

test('on a phone the Submit button stays visible and covers no field', { tag: '@mobile' }, async ({ page }) => {
  await page.goto('/leads')
  await page.getByRole('link', { name: 'New Lead' }).click()
  // If a field had the focus, the keyboard would cover half of the page.
  await expect(page.getByRole('heading', { level: 1, name: 'New Lead' })).toBeFocused()
  const submit = page.getByRole('button', { name: 'Submit Lead' })
  const consent = page.getByText('By submitting, you confirm')
  for (const name of ['First Name', 'Loan Purpose', 'Additional Information']) {
    await field(page, name).focus()
    for (const inReach of [submit, consent]) await expect(inReach).toBeInViewport({ ratio: 1 })
    const [button, bar] = [await boxOf(submit), await boxOf(page.getByRole('navigation', { name: 'Shortcuts' }))]
    expect(button.y + button.height, name).toBeLessThan(bar.y)
    const [above, below] = [await boxOf(field(page, name)), await boxOf(consent)]
    expect(above.y + above.height, name).toBeLessThan(below.y)
  }
})

test('/leads/new says which fields are missing or invalid', async ({ page }) => {
  await page.goto('/leads/new')
  const submit = page.getByRole('button', { name: 'Submit Lead' })
  await submit.click()
  const everything = 'First Name, Last Name, Email, Phone, Business Name'
  await expect(toasts(page)).toHaveText(`Please fill in all required fields: ${everything}`)
  // The field had the focus already, and the click on the button had scrolled it out of sight.
  await expect(field(page, 'First Name')).toBeFocused()
  await expect(field(page, 'First Name')).toBeInViewport()
  await expect(page.getByText('Phone number is required')).toBeVisible()
  // The page shows the fields' messages, and a toast above them.
  await expectGoodLooks(page)

  await field(page, 'Last Name').fill('Marsh')
  await expect(toasts(page)).toHaveCount(0)
  await fillRequired(page)
  await field(page, 'Last Name').fill('')
  await field(page, 'Email').fill('jo@saltbush')
  await field(page, 'Phone').fill('12345')
  await submit.click()
  await expect(toasts(page).last()).toHaveText('Please fill in all required fields: Last Name')
  await expect(page.getByText('Please enter a valid email address')).toBeVisible()
  await expect(
    page.getByText(
      'Please enter a valid Australian or New Zealand phone number. Examples: +61 4XX XXX XXX (AU mobile), +64 2X XXX XXXX (NZ mobile), 02 XXXX XXXX (AU landline)',
    ),
  ).toBeVisible()
  await expect(page).toHaveURL('/leads/new')
})

test('/leads/new recognises the country of a phone number while a person types it', async ({ page }) => {
  await page.goto('/leads/new')
  const phone = field(page, 'Phone')
  const border = () => page.evaluate<string>("getComputedStyle(document.querySelector('[name=phone]')).borderColor")
  await phone.focus()
  const plain = await border()
  await phone.pressSequentially('+64 21')
  await expect.poll(border).not.toBe(plain)
  const unfinished = await border()
  await phone.pressSequentially(' 123 4567')
  await expect(page.getByText('New Zealand, mobile: +64 21 123 4567')).toBeVisible()
  await expect.poll(border).not.toBe(unfinished)
  const finished = await border()
  expect(finished).not.toBe(plain)
  await expect(toasts(page)).toHaveText('Phone number detected: New Zealand')
  await expect(field(page, 'ABN or NZBN')).toBeVisible()

  await phone.fill('0412 345 678')
  await phone.blur()
  await expect(page.getByText('Australia, mobile: +61 412 345 678')).toBeVisible()
  await expect(toasts(page).filter({ hasText: 'Phone number detected: Australia' })).toBeVisible()
  await phone.fill('')
  await expect.poll(border).not.toBe(finished)

  await test.step('if a number fits both countries, a switch offers the other one', async () => {
    for (const [typed, reading, other, otherReading] of [
      ['028 123 4567', 'Australia, landline: +61 2 8123 4567', 'New Zealand', 'New Zealand, mobile: +64 28 123 4567'],
      ['020 123 4567', 'New Zealand, mobile: +64 20 123 4567', 'Australia', 'Australia, landline: +61 2 0123 4567'],
      ['027 123 4567', 'Australia, landline: +61 2 7123 4567', 'New Zealand', 'New Zealand, mobile: +64 27 123 4567'],
    ] as const) {
      await page.reload()
      await phone.fill(typed)
      await expect(page.getByText(reading)).toBeVisible()
      await page.getByRole('button', { name: `${other} instead` }).click()
      await expect(page.getByText(otherReading)).toBeVisible()
    }
    await expectGoodLooks(page)
  })

  await test.step('a freephone number is refused with the reason under the specification’s text', async () => {
    await phone.fill('0800 123 456')
    await phone.blur()
    await expect(page.getByText('Please enter a valid Australian or New Zealand phone number. Examples:')).toBeVisible()
    await expect(
      page.getByText('Freephone and 13 numbers cannot be called back: enter a mobile or a landline'),
    ).toBeVisible()
    await expectGoodLooks(page)
  })
})

test('/leads/new shows amounts in whole dollars and warns about unusual values', async ({ page }) => {
  await page.goto('/leads/new')
  await page.getByLabel('The applicant owns property').check()
  const amounts = [
    { name: 'Monthly Turnover', typed: 'A$ 40,000', shown: '$40,000' },
    { name: 'Loan Amount', typed: '50,000.50', shown: '$50,001' },
    { name: 'Property Value', typed: '1.2m', shown: '$1,200,000' },
    { name: 'Outstanding Debt', typed: '350k', shown: '$350,000' },
  ]
  for (const { name, typed, shown } of amounts) {
    await field(page, name).fill(typed)
    await field(page, name).blur()
    await expect(field(page, name)).toHaveValue(shown)
  }
  await test.step('text typed after the Tab key replaces the field’s value', async () => {
    await field(page, 'Monthly Turnover').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.type('75k')
    await page.keyboard.press('Tab')
    await expect(field(page, 'Loan Amount')).toHaveValue('$75,000')
  })
  await test.step('a value filled in without the keyboard replaces the previous value', async () => {
    await field(page, 'Loan Amount').fill('300k')
    await field(page, 'Loan Amount').blur()
    await expect(field(page, 'Loan Amount')).toHaveValue('$300,000')
  })
  await test.step('text that is not one amount is read as digits, and the form says so', async () => {
    const remark = page.getByText('Write one amount, such as 50,000')
    for (const [typed, shown] of [
      ['nothing', ''],
      ['(50,000)', '$50,000'],
      ['50-60k', '$5,060'],
    ] as const) {
      await field(page, 'Loan Amount').fill(typed)
      await expect(remark.locator('..')).toHaveText(`Write one amount, such as 50,000${shown}`)
      await field(page, 'Loan Amount').blur()
      await expect(field(page, 'Loan Amount')).toHaveValue(shown)
      await expect(remark).toBeVisible()
    }
    await expectGoodLooks(page)
    await field(page, 'Loan Amount').fill('1,5 mil')
    await expect(remark).toHaveCount(0)
    await field(page, 'Loan Amount').blur()
    await expect(field(page, 'Loan Amount')).toHaveValue('$1,500,000')
  })

  const remarks = [
    'Property value is recommended when using property as security',
    'Large loan amounts may require additional documentation',
  ]
  await field(page, 'Property Value').fill('0')
  await field(page, 'Property Value').blur()
  await field(page, 'Loan Amount').fill('10m')
  await expect(page.getByText('Large loan amounts')).toHaveCount(0)
  await field(page, 'Loan Amount').fill('10,000,001')
  await field(page, 'ABN').fill('12 345 678 901')
  await field(page, 'ABN').blur()
  for (const text of [...remarks, 'This does not look like a valid ABN']) {
    await expect(page.getByRole('main').getByText(text)).toBeVisible()
  }
  await expectGoodLooks(page)

  await fillRequired(page)
  await page.getByRole('button', { name: 'Submit Lead' }).click()
  for (const text of remarks) await expect(toasts(page).filter({ hasText: text })).toBeVisible()
  await expect(page).toHaveURL(/\/leads\/LO-[0-9A-Z]{8}$/)
  await expect(page.getByText('$10,000,001').first()).toBeVisible()
})

test('/leads/new warns that an applicant was submitted before', async ({ page, partner }) => {
  const loid = await partner.submitLead({ email: 'hana@kauri.example', businessName: 'Kauri Joinery' })
  await page.goto('/leads/new')
  await field(page, 'Email').fill('Hana@Kauri.example')
  await field(page, 'Email').blur()
  const warning = page.getByRole('status').filter({ hasText: `Looks like ${loid}` })
  await expect(warning).toContainText(/from \d{1,2} [A-Z][a-z]{2}: Kauri Joinery, same email$/)
  await expectGoodLooks(page)
  const link = warning.getByRole('link', { name: loid })
  await expect(link).toHaveAttribute('href', `/leads/${loid}`)
  await expect(link).toHaveAttribute('target', '_blank')
  await field(page, 'Phone').fill('0491 570 156')
  await field(page, 'Phone').blur()
  await expect(warning).toContainText('same email and phone')
  await fillRequired(page)
  await page.getByRole('button', { name: 'Submit Lead' }).click()
  await expect(page).toHaveURL((url) => /^\/leads\/LO-[0-9A-Z]{8}$/.test(url.pathname) && !url.href.endsWith(loid))
})

test('leaving /leads/new warns only if typed text would be lost', async ({ page }) => {
  await page.goto('/leads')
  await page.getByRole('link', { name: 'New Lead' }).click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page).toHaveURL('/leads')

  await page.getByRole('link', { name: 'New Lead' }).click()
  await field(page, 'First Name').fill('Jo')
  const dialog = page.getByRole('alertdialog', { name: 'Discard this lead?' })
  for (const name of ['Cancel', 'Back to Leads']) {
    await page.getByRole('link', { name }).click()
    await expect(dialog).toContainText('everything you entered will be lost')
    await dialog.getByRole('button', { name: 'Keep Editing' }).click()
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('link', { name })).toBeFocused()
    await expect(field(page, 'First Name')).toHaveValue('Jo')
  }
  await page.getByRole('complementary').getByRole('link', { name: 'Deals' }).click()
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(page).toHaveURL('/leads/new')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expectGoodLooks(page)
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await expect(page).toHaveURL('/leads')
})

test('/leads/new also warns a person who goes back or closes the tab', async ({ page }) => {
  spend(page)
  await page.goto('/leads')
  await page.getByRole('link', { name: 'New Lead' }).click()
  await field(page, 'First Name').fill('Jo')
  const dialog = page.getByRole('alertdialog', { name: 'Discard this lead?' })
  await page.evaluate('history.back()')
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: 'Keep Editing' }).click()
  await expect(page).toHaveURL('/leads/new')
  await expect(field(page, 'First Name')).toHaveValue('Jo')

  // The browser shows its own question.
  const asked = page.waitForEvent('dialog')
  const closing = page.close({ runBeforeUnload: true })
  const question = await asked
  expect(question.type()).toBe('beforeunload')
  await question.dismiss()
  await closing
  await expect(field(page, 'First Name')).toHaveValue('Jo')

  await page.evaluate('history.back()')
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await expect(page).toHaveURL('/leads')
  await page.close({ runBeforeUnload: true })
})

test('/leads/new keeps the typed values until the portal confirms the lead, and the lead is stored only once', async ({
  page,
  context,
}) => {
  await page.goto('/leads/new')
  await fillRequired(page)
  await field(page, 'Loan Amount').fill('250k')
  await field(page, 'Loan Type').selectOption('Equipment Financing')
  const submit = page.getByRole('button', { name: 'Submit Lead' })
  async function expectRefusal(text: string) {
    await submit.click()
    await expect(toasts(page).filter({ hasText: text })).toHaveAttribute('data-kind', 'error')
    await expect(field(page, 'Business Name')).toHaveValue('Ironbark Joinery')
    await expect(field(page, 'Phone')).toHaveValue('0491 570 156')
    await expect(field(page, 'Loan Amount')).toHaveValue('$250,000')
    await expect(field(page, 'Loan Type')).toHaveValue('Equipment Financing')
  }

  const refusals = [
    { status: 400, error: 'Bad phone', text: 'Validation Error: Bad phone' },
    { status: 403, error: 'No', text: 'Authentication error. Please log in again.' },
    { status: 500, error: 'Oh', text: 'Server error. Please try again or contact support.' },
    { status: 503, error: 'Busy right now', text: 'Failed to submit application: Busy right now' },
  ]
  for (const { text, ...answer } of refusals) {
    const mend = await breakAnswers(page, SUBMISSIONS, answer)
    await expectRefusal(text)
    await mend()
  }
  await context.setOffline(true)
  await expectRefusal('Network error. Please check your connection and try again.')
  await context.setOffline(false)

  await test.step('the typed values stay if the answer is lost after the portal has stored the lead', async () => {
    await toasts(page).filter({ hasText: 'Network error' }).getByRole('button', { name: 'Dismiss' }).click()
    await page.route(SUBMISSIONS, async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await expectRefusal('Network error. Please check your connection and try again.')
    await page.unroute(SUBMISSIONS)
  })

  const release = await holdAnswers(page, SUBMISSIONS)
  await submit.dblclick()
  await expect(submit).toHaveAttribute('aria-busy', 'true')
  release()
  await expect(page).toHaveURL(/\/leads\/LO-[0-9A-Z]{8}$/)
  await expect(toasts(page).filter({ hasText: 'Lead submitted successfully' })).toBeVisible()
  await page.getByRole('complementary').getByRole('link', { name: 'Leads' }).click()
  await expect(page.getByRole('link', { name: 'Ironbark Joinery', exact: true })).toHaveCount(1)
})

test('/leads/new opens the list of leads if the answer does not name the new lead', async ({ page }) => {
  await page.goto('/leads/new')
  await fillRequired(page)
  await page.route(SUBMISSIONS, (route) => route.fulfill({ status: 201, json: { success: true, data: {} } }))
  await page.getByRole('button', { name: 'Submit Lead' }).click()
  await expect(page).toHaveURL('/leads')
  const warning = toasts(page).filter({ hasText: /^The lead was submitted, but its LOID is not known yet\./ })
  await expect(warning).toHaveAttribute('data-kind', 'warning')
})

function field(page: Page, name: string) {
  return page.getByRole('main').getByLabel(name, { exact: true })
}

async function boxOf(place: Locator) {
  const box = await place.boundingBox()
  if (!box) throw new Error('the element is not on the screen')
  return box
}

async function fillRequired(page: Page) {
  await field(page, 'First Name').fill('Jo')
  await field(page, 'Last Name').fill('Marsh')
  await field(page, 'Email').fill('jo@ironbark.example')
  await field(page, 'Phone').fill('0491 570 156')
  await field(page, 'Business Name').fill('Ironbark Joinery')
}
