// More than forty steps of a day of a broker's business. After each step, the open pages say what needs attention and
// whose turn it is (D127): the owner's dashboard at 1440 pixels, and the broker's lists on a phone.
import { expect, type Page } from '@playwright/test'
import { generateApiKey } from '../../contract/src/api-keys.ts'
import { test } from '../fresh-partner.ts'
import { actAsStaff } from '../lender.ts'
import { mailedToken } from '../mailed-token.ts'
import { PHONE } from '../screen-sizes.ts'
import { spend } from '../session.ts'
import { submitOnPage } from '../submit-on-page.ts'
import { toasts } from '../toasts.ts'

const FERRY = 'Kauri Ferry'
const SMITHY = 'Ironbark Smithy'
const CAFE = 'Wattle Cafe'
const NURSERY = 'Banksia Nursery'
const YOURS = 'Your turn'
const LENDERS = 'Lender’s turn'
const PASSWORD = 'correct-horse-battery'

/** What an item of the attention list says: the name of its record, and a part of the reason. */
type Item = [name: string, reason: string]
/** For each business, whose turn its row in the lists shows. Null: the row says nothing about it. */
type Turns = Record<string, string | null>

test('after each step of a broker’s day, the open pages say what needs attention and whose turn it is', async ({
  page,
  partner,
  browser,
  request,
}) => {
  test.setTimeout(480_000)
  spend(page)
  const phone = await browser.newContext(PHONE)
  const [leads, deals] = [await phone.newPage(), await phone.newPage()]
  const loids: Record<string, string> = {}
  let cafeInCrm = ''
  let steps = 0

  async function step(what: string, act: () => Promise<unknown>, items: Item[], turns: Turns = {}): Promise<void> {
    steps += 1
    await test.step(`${steps}. ${what}`, async () => {
      await act()
      await expectAttention(page, items)
      for (const [business, turn] of Object.entries(turns)) await expectTurn(business, turn)
    })
  }

  /** The rows of both lists follow by themselves. The list of leads keeps the row of a lead that became a deal meanwhile. */
  async function expectTurn(business: string, turn: string | null): Promise<void> {
    await expect(async () => {
      const rowsOf = (list: Page) => list.getByRole('row').filter({ hasText: business }).allInnerTexts()
      const [text = ''] = [...(await rowsOf(deals)), ...(await rowsOf(leads))]
      const said = [YOURS, LENDERS].find((one) => text.includes(one)) ?? null
      expect([text === '', said]).toEqual([false, turn])
    }).toPass({ timeout: 45_000 })
  }

  const item = (business: string) =>
    page.getByRole('list', { name: 'What needs attention' }).getByRole('listitem').filter({ hasText: business })
  const asStaff = (business: string, what: string, form: Record<string, string>, kind = 'leads') =>
    actAsStaff(`/${kind}/${loids[business]}/${what}`, form)
  /** Waits until the list shows the status. One that the lender leaves again before the portal has seen it is told only later (D126). */
  async function passThrough(business: string, status: string): Promise<void> {
    await asStaff(business, 'status', { status })
    await expect(leads.getByRole('row').filter({ hasText: business })).toContainText(status, { timeout: 45_000 })
  }

  // A newcomer's first quarter of an hour.
  const first = page.getByRole('list', { name: 'Your first steps' })
  await step('the newcomer’s dashboard shows three steps, and the four figures', async () => {
    await page.goto('/dashboard')
    await expect(first.getByRole('listitem')).toHaveCount(3)
    for (const figure of ['Total Leads', 'Total Deals', 'Deal Value', 'Conversion Rate'])
      await expect(page.getByText(figure)).toBeVisible()
  }, [])
  await step('opening the mailed link does the first step', async () => {
    await expect.poll(() => mailedToken('verify-email', partner.email)).toBeDefined()
    await page.goto(`/verify-email?token=${mailedToken('verify-email', partner.email)}`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Email verification')
    await expect(page.getByText('Your email address is verified. Thank you.')).toBeVisible()
    await page.goto('/dashboard')
    await expect(first).toContainText('Confirm your email address · done')
  }, [])
  await step('the owner’s first lead is with the lender', async () => {
    await page.getByRole('link', { name: 'Submit Your First Lead' }).click()
    loids[FERRY] = await submitOnPage(page, FERRY)
    await expect(page.getByRole('banner').or(page.locator('header')).getByText(LENDERS).first()).toBeVisible()
    await page.goto('/dashboard')
    await expect(first).toHaveCount(0)
  }, [])
  await step(
    'nothing is known about what is late before the first sync',
    () => expect(page.getByText('Not enough history yet to tell what is late')).toBeVisible(),
    [],
  )
  await step('after the first sync, nothing needs attention', async () => {
    await page.goto('/leads')
    await page.getByRole('button', { name: 'Sync from CRM' }).click()
    await expect(toasts(page).last()).toContainText('Sync')
    await page.goto('/dashboard')
    await expect(page.getByText('Nothing needs your attention')).toBeVisible()
  }, [])

  // A colleague joins.
  const broker = { email: `robin-${partner.number}@saltbush.example`, token: '' }
  const auth = { authorization: `Bearer ${partner.token}` }
  await step('the owner invites a broker, who joins on a phone', async () => {
    const invitation = { email: broker.email, firstName: 'Robin', lastName: 'Lee', role: 'member' }
    expect((await request.post('/api/team/invitations', { headers: auth, data: invitation })).status()).toBe(201)
    await expect.poll(() => mailedToken('invite', broker.email)).toBeDefined()
    await leads.goto(`/invite?token=${mailedToken('invite', broker.email)}`)
    await leads.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await leads.getByLabel('Confirm password').fill(PASSWORD)
    await leads.getByRole('button', { name: 'Accept Invitation' }).click()
    await expect(leads).toHaveURL('/dashboard')
  }, [])
  await step(
    'the broker sees the lead of the owner',
    async () => {
      await leads.goto('/leads')
      await deals.goto('/deals')
    },
    [],
    { [FERRY]: LENDERS },
  )
  await step(
    'the broker submits a lead on the phone',
    async () => {
      await leads.goto('/leads/new')
      loids[SMITHY] = await submitOnPage(leads, SMITHY)
      await leads.goto('/leads')
    },
    [],
    { [FERRY]: LENDERS, [SMITHY]: LENDERS },
  )

  // The lender works.
  await step('the lender calls', () => asStaff(FERRY, 'status', { status: 'Contacted' }), [], { [FERRY]: LENDERS })
  await step(
    'the lender cannot reach the broker’s applicant',
    () => asStaff(SMITHY, 'status', { status: 'Unable to Contact' }),
    [[SMITHY, 'Unable to Contact']],
    { [FERRY]: LENDERS, [SMITHY]: YOURS },
  )
  const lead = await phone.newPage()
  await step(
    'the broker reads the lead’s page, which says whose turn it is; reading is not doing',
    async () => {
      await lead.goto(`/leads/${loids[SMITHY]}`)
      await lead.getByText('The lender could not reach the applicant.').first().click()
      await expect(lead.locator('header').getByText(YOURS)).toBeVisible()
    },
    [[SMITHY, 'Unable to Contact']],
    { [SMITHY]: YOURS },
  )
  await step(
    'a reminder for tomorrow hides it from the owner alone',
    async () => {
      await item(SMITHY)
        .getByRole('button', { name: `Remind me of ${SMITHY}` })
        .click()
      await item(SMITHY).getByRole('button', { name: 'Tomorrow' }).click()
    },
    [],
    { [SMITHY]: YOURS },
  )
  await step(
    'the broker still has it, and answers on the lead’s page',
    async () => {
      await lead.goto('/dashboard')
      await expectAttention(lead, [[SMITHY, 'Unable to Contact']])
      await lead.getByRole('button', { name: `Reply to ${SMITHY}` }).click()
      await lead.getByLabel(`Reply to the lender about ${SMITHY}`).fill('Try again after four: the workshop is loud.')
      await lead.getByRole('button', { name: 'Send Reply' }).click()
      await expectAttention(lead, [])
    },
    [],
    { [SMITHY]: LENDERS },
  )
  await step('the lender tries again', () => passThrough(SMITHY, 'Attempting To Contact'), [], {
    [SMITHY]: LENDERS,
  })
  await step(
    'the lender cannot reach the applicant a second time: it needs attention again',
    () => asStaff(SMITHY, 'status', { status: 'Unable to Contact' }),
    [[SMITHY, 'Unable to Contact']],
    { [SMITHY]: YOURS },
  )
  await step(
    'Done settles it for everybody',
    async () => {
      await item(SMITHY)
        .getByRole('button', { name: `Done: ${SMITHY}` })
        .click()
      await expectAttention(lead, [])
    },
    [],
    { [SMITHY]: LENDERS },
  )
  await step(
    'the lender asks for a paper',
    () => asStaff(FERRY, 'notes', { title: 'Partner', content: 'Please send the last three bank statements.' }),
    [[FERRY, 'Please send the last three bank statements.']],
    { [FERRY]: LENDERS },
  )
  await step('the note stays after the owner has read it, no longer bold', async () => {
    const tab = await page.context().newPage()
    await tab.goto(`/leads/${loids[FERRY]}`)
    await tab.getByText('Please send the last three bank statements.').first().click()
    await expect(async () => {
      await page.reload()
      await expect(item(FERRY)).toBeVisible()
      await expect(item(FERRY).getByText('New: ')).toHaveCount(0)
    }).toPass()
    await tab.close()
  }, [[FERRY, 'Please send the last three bank statements.']])
  await step(
    'a second lead waits for the partner: it comes before the note',
    () => passThrough(SMITHY, 'Contacted'),
    [[FERRY, 'bank statements']],
    { [SMITHY]: LENDERS },
  )
  await step(
    'the partner’s turn comes before the note',
    () => asStaff(SMITHY, 'status', { status: 'Unable to Contact' }),
    [
      [SMITHY, 'Unable to Contact'],
      [FERRY, 'bank statements'],
    ],
    { [SMITHY]: YOURS, [FERRY]: LENDERS },
  )
  await step(
    'the owner answers the note in place',
    async () => {
      await item(FERRY)
        .getByRole('button', { name: `Reply to ${FERRY}` })
        .click()
      await page.getByLabel(`Reply to the lender about ${FERRY}`).fill('They are in the mail.')
      await page.getByRole('button', { name: 'Send Reply' }).click()
    },
    [[SMITHY, 'Unable to Contact']],
    { [FERRY]: LENDERS },
  )
  await step('the lender reaches the applicant', () => asStaff(SMITHY, 'status', { status: 'Pre Qualified' }), [], {
    [SMITHY]: LENDERS,
  })

  // A system submits, and the API key is no news.
  await step(
    'the website submits a lead with the business’s key',
    async () => {
      const made = await request.post('/api/dashboard/generate-api-key', { headers: auth })
      const { api_key } = generateApiKey.answer.parse((await made.json()).data)
      const data = { business_name: CAFE, first_name: 'Ida', last_name: 'Moss', phone: '0491 570 157' }
      const answer = await request.post('/api/partner/leads', { headers: { authorization: `Bearer ${api_key}` }, data })
      expect(answer.status()).toBe(201)
      loids[CAFE] = (await answer.json()).data.loid
      await expect(page.getByRole('region', { name: 'Since you were here' }).getByText(CAFE)).toHaveCount(0)
      await showNew(leads)
    },
    [],
    { [CAFE]: LENDERS },
  )

  // A lead becomes a deal, on its open page.
  await step(
    'a lead whose page is open becomes a deal, and the page says so',
    async () => {
      await lead.goto(`/leads/${loids[SMITHY]}`)
      await expect(lead.getByRole('heading', { level: 1 })).toHaveText(SMITHY)
      const name = `${SMITHY} – Term Loan`
      await asStaff(SMITHY, 'convert', { name, stage: 'Waiting On Application', amount: '250000' })
      await expect(lead).toHaveURL(`/deals/${loids[SMITHY]}`)
      await expect(lead.getByText(`${SMITHY} became a deal`).first()).toBeVisible()
    },
    [],
    { [SMITHY]: LENDERS },
  )
  const asStage = (stage: string) => asStaff(SMITHY, 'stage', { stage }, 'deals')
  await step('the deal moves on', () => asStage('Information Received'), [], { [SMITHY]: LENDERS })
  await step(
    'the lender writes on the deal',
    () => asStaff(SMITHY, 'notes', { title: 'Partner', content: 'Which bank holds the lease?' }, 'deals'),
    [[SMITHY, 'Which bank holds the lease?']],
    { [SMITHY]: LENDERS },
  )
  await step(
    'the stage moves, so the question is overtaken',
    async () => {
      // The CRM tells times in whole seconds. Within the question's second nobody knows which of the two came first.
      const asked = Math.floor(Date.now() / 1_000)
      await expect.poll(() => Math.floor(Date.now() / 1_000)).toBeGreaterThan(asked)
      await asStage('Pending Approval')
    },
    [],
    { [SMITHY]: LENDERS },
  )
  await step('the deal is approved', () => asStage('Approved'), [], { [SMITHY]: LENDERS })
  await step('the deal is funded: nobody’s turn', () => asStage('Funded'), [], { [SMITHY]: null })
  await step(
    'a note on an ended deal never needs attention',
    () => asStaff(SMITHY, 'notes', { title: 'Partner', content: 'Settled, with thanks.' }, 'deals'),
    [],
    { [SMITHY]: null },
  )

  // Ends and removals.
  await step('the lender loses a lead: nobody’s turn', () => asStaff(CAFE, 'status', { status: 'Lost Lead' }), [], {
    [CAFE]: null,
  })
  await step('the lender takes the lead up again', () => asStaff(CAFE, 'status', { status: 'Re-engage' }), [], {
    [CAFE]: LENDERS,
  })
  await step(
    'the lender cannot reach the website’s applicant',
    async () => {
      cafeInCrm = await asStaff(CAFE, 'status', { status: 'Unable to Contact' })
    },
    [[CAFE, 'Unable to Contact']],
    { [CAFE]: YOURS },
  )
  await step('the lender removes the lead: its page says so, and it needs nothing any more', async () => {
    await lead.goto(`/leads/${loids[CAFE]}`)
    await expect(lead.getByRole('heading', { level: 1 })).toHaveText(CAFE)
    await asStaff(CAFE, 'delete', {})
    await expect(lead.getByText(/The lender removed this lead/)).toBeVisible()
  }, [])
  await step(
    'the lender restores it: it is the partner’s turn again',
    async () => {
      await actAsStaff(`/recycle-bin/${cafeInCrm}/restore`, {})
      await expect(lead.getByText(/The lender removed this lead/)).toHaveCount(0)
      await leads.reload()
    },
    [[CAFE, 'Unable to Contact']],
    { [CAFE]: YOURS },
  )
  await step('the lender has given up on it', () => asStaff(CAFE, 'status', { status: 'Not Qualified' }), [], {
    [CAFE]: null,
  })

  // The roles.
  await step(
    'the owner makes the broker a viewer, who can settle nothing',
    async () => {
      const people = (await (await request.get('/api/team', { headers: auth })).json()).data.people
      const robin = people.find((one: { email: string }) => one.email === broker.email)
      const put = await request.put(`/api/team/people/${robin.id}`, { headers: auth, data: { role: 'viewer' } })
      expect(put.status()).toBe(200)
      await asStaff(FERRY, 'status', { status: 'Unable to Contact' })
      await lead.goto('/dashboard')
      await expectAttention(lead, [[FERRY, 'Unable to Contact']])
      const asked = lead.getByRole('list', { name: 'What needs attention' })
      await expect(asked.getByRole('button', { name: /^Remind me/ })).toBeVisible()
      await expect(asked.getByRole('button', { name: /^(Reply|Done)/ })).toHaveCount(0)
    },
    [[FERRY, 'Unable to Contact']],
    { [FERRY]: YOURS },
  )
  await step(
    'the viewer hides it for a week; the owner still has it',
    async () => {
      await lead.getByRole('button', { name: `Remind me of ${FERRY}` }).click()
      await lead.getByRole('button', { name: 'In a week' }).click()
      await expectAttention(lead, [])
    },
    [[FERRY, 'Unable to Contact']],
    { [FERRY]: YOURS },
  )
  await step(
    'the lender moves on by itself',
    async () => {
      await asStaff(FERRY, 'status', { status: 'Contact Soon' })
      await expectAttention(lead, [])
    },
    [],
    { [FERRY]: LENDERS },
  )

  // The evening.
  await step(
    'the owner submits another lead',
    async () => {
      await page.goto('/leads/new')
      loids[NURSERY] = await submitOnPage(page, NURSERY)
      await page.goto('/dashboard')
      await showNew(leads)
    },
    [],
    { [NURSERY]: LENDERS },
  )
  await step('the lender has it already', () => asStaff(NURSERY, 'status', { status: 'Duplicate' }), [], {
    [NURSERY]: null,
  })
  await step(
    'everything is read; the dashboard is calm',
    async () => {
      await page.getByRole('button', { name: 'Mark all as read' }).click()
      await expect(page.getByText('Nothing needs your attention')).toBeVisible()
    },
    [],
    { [FERRY]: LENDERS, [SMITHY]: null },
  )
  await phone.close()
})

async function expectAttention(page: Page, items: Item[]): Promise<void> {
  const rows = page.getByRole('list', { name: 'What needs attention' }).getByRole('listitem')
  await expect(rows).toHaveText(
    items.map(([name, reason]) => new RegExp(`${escaped(name)}[\\s\\S]*${escaped(reason)}`)),
    { timeout: 45_000 },
  )
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Shows the rows that wait above a list. */
async function showNew(list: Page): Promise<void> {
  await list.getByRole('button', { name: '1 new' }).click()
}
