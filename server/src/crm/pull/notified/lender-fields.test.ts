import type { LiveMessage } from '@portal/contract/live.ts'
import { LiveMessage as Message } from '@portal/contract/live.ts'
import { expect, test } from 'vitest'
import { openLender } from '../../../testing/lender.ts'
import { messagesOf } from '../../../testing/messages-of.ts'
import { startPortal } from '../../../testing/start-portal.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { noteFieldGroups } from '../fields/optional-values.ts'
import { watchCrm } from './watch-crm.job.ts'

const SECONDS_MAX = 2

test('a change of any field of the lender’s is on an open page within two seconds, and told once', async () => {
  await using portal = await startPortal({ withCrm: true })
  const lender = openLender(portal.crmUrl)
  await portal.deps.crm.makeMissingFields(['verdict', 'payments', 'manager', 'access', 'tax'])
  await noteFieldGroups(portal.deps)
  await watchCrm.run(portal.deps, {}, new AbortController().signal)
  const ada = await portal.newPartner()
  const record = await waitFor('the partner in the CRM', async () => (await ada.get('/profile')).body.data.zoho_id)
  const Partner = { id: record }
  const lead = await lender.create('Leads', { Last_Name: 'Okafor', Lead_Status: 'New Lead', Partner })
  const deal = await lender.create('Deals', { Deal_Name: 'Okafor Freight', Stage: 'Funded', Partner })
  await waitFor('both records', async () => {
    const { db } = portal.deps
    const rows = [
      await db.selectFrom('leads').select('id').where('zoho_id', '=', lead).execute(),
      await db.selectFrom('deals').select('id').where('zoho_id', '=', deal).execute(),
    ]
    return rows.every((found) => found.length === 1)
  })

  const page = await fetch(`${portal.url}/api/live`, { headers: { authorization: `Bearer ${ada.token}` } })
  const heard: LiveMessage[] = []
  const read = async () => {
    for await (const { data } of messagesOf(page)) heard.push(Message.parse(JSON.parse(data)))
  }
  void read().catch(() => undefined)
  await waitFor('the stream', async () => heard.some(({ type }) => type === 'stream.opened'))

  const later = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
  const changes: [string, string, object, LiveMessage['type']][] = [
    ['Leads', lead, { Partner_Verdict: 'Yours' }, 'lead.verdict_changed'],
    ['Leads', lead, { Verdict_Reason: 'New to us' }, 'lead.verdict_changed'],
    ['Leads', lead, { Protected_Until: '2031-03-03' }, 'lead.verdict_changed'],
    ['Deals', deal, { Partner_Commission: 1234.56 }, 'deal.changed'],
    ['Deals', deal, { Commission_Status: 'Payable' }, 'deal.changed'],
    ['Deals', deal, { Commission_Paid_On: later }, 'deal.changed'],
    ['Deals', deal, { Commission_Note: 'with the next statement' }, 'deal.changed'],
    ['Deals', deal, { Commission_Status: 'Paid' }, 'deal.paid'],
    ['Partners', record, { Partner_Manager_Name: 'Priya Nair' }, 'partner.changed'],
    ['Partners', record, { Partner_Manager_Phone: '02 5550 1900' }, 'partner.changed'],
    ['Partners', record, { Partner_Manager_Email: 'priya@lender.example' }, 'partner.changed'],
    ['Partners', record, { ABN: '53004085616' }, 'partner.changed'],
    ['Partners', record, { GST_Registered: 'Yes' }, 'partner.changed'],
  ]
  const late: string[] = []
  for (const [module, id, fields, type] of changes) {
    heard.length = 0
    const began = performance.now()
    await lender.update(module, id, fields)
    await waitFor(`${type} for ${JSON.stringify(fields)}`, async () => heard.some((one) => one.type === type))
    const seconds = (performance.now() - began) / 1_000
    if (seconds > SECONDS_MAX) late.push(`${JSON.stringify(fields)}: ${seconds.toFixed(1)} s`)
  }
  // One change may meet a machine that is busy with another test.
  expect(late.slice(1)).toEqual([])

  // The CRM tells times in whole seconds, so two changes in one second have the same time.
  await waitFor('the beginning of a second', async () => Date.now() % 1_000 < 100)
  for (const note of ['First note', 'Second note']) {
    heard.length = 0
    await lender.update('Deals', deal, { Commission_Note: note })
    await waitFor(`deal.changed for ${note}`, async () => heard.some(({ type }) => type === 'deal.changed'))
  }

  const events = await portal.deps.db.selectFrom('events').select(['type', 'data']).orderBy('id').execute()
  const told = events.map(({ type }) => type)
  expect(told.filter((type) => type === 'lead.verdict_changed')).toHaveLength(3)
  expect(told.filter((type) => type === 'deal.paid')).toHaveLength(1)
  expect(told).not.toContain('deal.updated')
})
