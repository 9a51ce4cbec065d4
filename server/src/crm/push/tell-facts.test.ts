import { expect, test } from 'vitest'
import { openLender } from '../../testing/lender.ts'
import { confirmEmail, startPortal, type TestPartner } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { noteFieldGroups } from '../pull/fields/optional-values.ts'
import { tellFacts } from './tell-facts.job.ts'

test('the lender’s team reads in the CRM how a partner uses the portal, once a day, and at once what keeps it from working', async () => {
  await using portal = await startPortal({ withCrm: true })
  const lender = openLender(portal.crmUrl)
  const inCrm = (partner: TestPartner): Promise<string> =>
    waitFor('the partner in the CRM', async () => (await partner.get('/profile')).body.data.zoho_id)
  const tell = () => tellFacts.run(portal.deps, {}, new AbortController().signal)
  const ada = await portal.newPartner()
  const record = await inCrm(ada)
  // An organisation without the fields is written nothing.
  const { total } = await lender.calls()
  await tell()
  expect((await lender.calls()).total).toBe(total)

  await portal.deps.crm.makeMissingFields(['facts'])
  await noteFieldGroups(portal.deps)
  const { loid } = await ada.submitLead()
  await ada.pushedLead(loid)
  await tell()
  const today = new Date().toLocaleDateString('en-CA', { timeZone: portal.deps.config.timezone })
  expect(await lender.read('Partners', record)).toMatchObject({
    Portal_People: 1,
    Portal_Last_Seen: today,
    Portal_Leads_90_Days: 1,
    Portal_Won_90_Days: 0,
    Portal_Waiting: 0,
    Portal_Problem: null,
  })
  const written = (await lender.read('Partners', record))?.['Modified_Time']

  // The same day nothing is written, and the next day only what has changed.
  const deal = await lender.create('Deals', { Deal_Name: 'Van', Stage: 'Funded', Partner: { id: record } })
  await ada.post('/crm/sync')
  await tell()
  expect((await lender.read('Partners', record))?.['Modified_Time']).toBe(written)
  await lender.update('Partners', record, { Portal_People: 7 })
  portal.advance(25 * 3_600_000)
  await tell()
  expect(await lender.read('Partners', record)).toMatchObject({ Portal_Won_90_Days: 1, Portal_People: 7 })
  expect(deal).not.toBe('')

  // A push that was given up is told at once, and taken back when it is done.
  const { db } = portal.deps
  await db.updateTable('leads').set({ crm: 'failed' }).where('loid', '=', loid).execute()
  await tell()
  expect((await lender.read('Partners', record))?.['Portal_Problem']).toMatch(
    /^1 of the partner’s leads, deals and notes/,
  )
  await db.updateTable('leads').set({ crm: 'synced' }).where('loid', '=', loid).execute()
  await tell()
  expect((await lender.read('Partners', record))?.['Portal_Problem']).toBeNull()

  // Several records with one address all show it.
  const email = 'twice@example.com'
  const twice = await Promise.all(['One', 'Two'].map((Name) => lender.create('Partners', { Name, Email: email })))
  const bob = await portal.newPartner({ email })
  await confirmEmail(portal, bob)
  await waitFor('the hold', async () => {
    return (await portal.post('/auth/verify', { token: bob.token })).body.data.hold === 'several'
  })
  await tell()
  for (const id of twice) {
    expect((await lender.read('Partners', id))?.['Portal_Problem']).toMatch(/^Several records have this email address/)
  }
})
