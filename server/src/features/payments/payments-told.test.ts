import { expect, test } from 'vitest'
import { noteFieldGroups } from '../../crm/pull/fields/optional-values.ts'
import { runSweep } from '../../crm/pull/sweep/sweep.job.ts'
import { ROUTES, validQuery } from '../../testing/contract-routes.ts'
import { openLender } from '../../testing/lender.ts'
import { makeKey } from '../../testing/make-key.ts'
import { startReceiver } from '../../testing/receiver.ts'
import { addColleague, confirmEmail, startPortal } from '../../testing/start-portal.ts'
import { tellNewsSoon } from '../../testing/tell-news.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { tellDuePayments } from './tell-due-payments.job.ts'

const DAY_MS = 24 * 3_600_000

/** Every spelling of the amount, the lender's note about it, and the event. */
const SECRET = /8642[.,]?97|8,642[.,]97|Quarterly clawback|deal\.paid|commission/i

test('a payment is told to owners and to people with the right; nobody else, no key and no endpoint receives a byte of it', async () => {
  await using receiver = await startReceiver()
  await using portal = await startPortal({ withCrm: true, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
  const lender = openLender(portal.crmUrl)
  await portal.deps.crm.makeMissingFields(['payments'])
  await noteFieldGroups(portal.deps)
  const ada = await portal.newPartner()
  await confirmEmail(portal, ada)
  const Partner = { id: await waitFor('ada in the CRM', async () => (await ada.get('/profile')).body.data.zoho_id) }
  const member = await addColleague(portal, ada, 'member')
  const paid = await addColleague(portal, ada, 'viewer')
  await ada.put(`/team/people/${paid.id}`, { sees_money: true })
  await ada.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  const apiKey = await makeKey(ada, ['submit', 'read'])
  for (const person of [member, paid]) {
    const choices = { 'deal-stage': 'at-once', outcome: 'at-once', ...(person === paid && { payment: 'at-once' }) }
    expect((await person.put('/account/notifications', { choices })).status).toBe(200)
  }
  const streams = await Promise.all([member, paid].map(({ token }) => listen(token)))
  const sweep = async () => {
    portal.advance(60_000)
    await runSweep(portal.deps, AbortSignal.timeout(30_000))
  }

  const deal = { Deal_Name: 'Okafor Freight', Stage: 'Approved', Partner, Partner_Commission: 8642.97 }
  const id = await lender.create('Deals', {
    ...deal,
    Commission_Status: 'Payable',
    Commission_Note: 'Quarterly clawback',
  })
  await sweep()
  const { loid } = await portal.deps.db.selectFrom('deals').select('loid').executeTakeFirstOrThrow()
  await lender.update('Deals', id, { Commission_Status: 'Paid' })
  await sweep()
  await sweep()
  await lender.update('Deals', id, { Stage: 'Funded' })
  await sweep()
  await tellNewsSoon(portal)
  await waitFor('the delivery of the stage', async () => receiver.received.some(({ text }) => text.includes('Funded')))
  const [heardByMember, heardByPaid] = streams
  await waitFor('the stage in the stream', async () => heardByMember?.text().includes('deal.stage_changed'))

  const asked = async (token: string, isOpen: (auth: string) => boolean) => {
    const routes = ROUTES.filter(
      ({ method, auth, envelope }) => method === 'GET' && isOpen(auth) && envelope !== 'stream',
    )
    return Promise.all(
      routes.map(async (route) => {
        const path = `${route.path.replace(/:\w+/, loid)}${validQuery(route)}`
        const answer = await fetch(`${portal.url}/api${path}`, { headers: { authorization: `Bearer ${token}` } })
        return `${path} ${answer.status} ${await answer.text()}`
      }),
    )
  }
  const received = [
    ...(await asked(member.token, (auth) => auth.includes('session'))),
    ...(await asked(apiKey, (auth) => auth.includes('api-key'))),
    ...(await portal.mailsTo(member.email)),
    ...receiver.received.map(({ text }) => text),
    heardByMember?.text() ?? '',
  ]
  expect(received.filter((text) => text.startsWith('/') && text.includes(' 200 ')).length).toBeGreaterThan(30)
  expect(received.filter((text) => SECRET.test(text)).map((text) => text.slice(0, 300))).toEqual([])
  const bytes = received.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  console.log(`Payments: no amount in ${received.length} answers, mails, deliveries and messages (${bytes} bytes)`)

  expect(heardByPaid?.text().match(/deal\.paid/g)).toHaveLength(1)
  const { activities } = (await paid.get('/activity?type=deal.paid')).body.data
  expect(activities).toMatchObject([{ title: 'Commission paid', description: 'Okafor Freight', by: 'The lender' }])
  const news = (await paid.get('/dashboard/news')).body.data.lines
  expect(news).toMatchObject([{ loid, summary: expect.stringMatching(/commission paid/i) }])
  const mails = await portal.mailsTo(paid.email)
  expect(mails.filter((mail) => mail.includes('The lender paid you $8,642.97.'))).toHaveLength(1)
  expect((await member.get('/account/notifications')).body.data.choices).not.toHaveProperty('payment')

  // What waits to be mailed is not mailed to somebody who loses the right.
  await lender.update('Deals', id, { Commission_Status: 'Payable' })
  await sweep()
  await lender.update('Deals', id, { Commission_Status: 'Paid' })
  await sweep()
  await ada.put(`/team/people/${paid.id}`, { sees_money: false })
  await tellNewsSoon(portal)
  expect((await portal.mailsTo(paid.email)).filter((mail) => mail.includes('8,642.97'))).toHaveLength(1)

  /** Keeps all bytes of a stream. */
  async function listen(token: string) {
    const response = await fetch(`${portal.url}/api/live`, { headers: { authorization: `Bearer ${token}` } })
    let heard = ''
    const read = async () => {
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) heard += piece
    }
    void read().catch(() => undefined)
    await waitFor('the stream', async () => heard.includes('stream.opened'))
    return { text: () => heard }
  }
})

test('a commission with a day to come is told on that day, once, and not again after a change of the date or of something else', async () => {
  await using portal = await startPortal({ withCrm: true })
  const lender = openLender(portal.crmUrl)
  await portal.deps.crm.makeMissingFields(['payments'])
  await noteFieldGroups(portal.deps)
  const ada = await portal.newPartner()
  const Partner = { id: await waitFor('ada in the CRM', async () => (await ada.get('/profile')).body.data.zoho_id) }
  const sweep = () => runSweep(portal.deps, AbortSignal.timeout(30_000))
  const tell = () => tellDuePayments.run(portal.deps, {}, new AbortController().signal)
  const told = () =>
    portal.deps.db.selectFrom('events').select('data').where('type', '=', 'deal.paid').orderBy('id', 'desc').execute()
  const inDays = (days: number) =>
    new Date(Date.now() + days * DAY_MS).toLocaleDateString('en-CA', { timeZone: portal.deps.config.timezone })

  const deal = { Deal_Name: 'Due', Stage: 'Funded', Partner, Partner_Commission: 5, Commission_Status: 'Payable' }
  const id = await lender.create('Deals', deal)
  await lender.create('Deals', {
    ...deal,
    Deal_Name: 'Cancelled',
    Commission_Status: 'Cancelled',
    Commission_Paid_On: inDays(3),
  })
  await sweep()
  await lender.update('Deals', id, { Commission_Paid_On: inDays(3) })
  await sweep()
  await tell()
  expect(await told()).toEqual([])

  portal.advance(3 * DAY_MS)
  await tell()
  await tell()
  expect(await told()).toEqual([{ data: { deal_name: 'Due', business_name: null } }])
  await lender.update('Deals', id, { Commission_Status: 'Paid', Commission_Note: 'with the next statement' })
  await sweep()
  await tell()
  portal.advance(DAY_MS)
  await tell()
  expect(await told()).toHaveLength(1)
})
