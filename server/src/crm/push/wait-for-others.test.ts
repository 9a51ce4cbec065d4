import { expect, test } from 'vitest'
import { openLender } from '../../testing/lender.ts'
import { openDataFolder } from '../../testing/portal-process.ts'
import { SECRETS_KEY, startPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

test('a partner that has used more than a fifth of the day’s CRM credits waits while another partner waits, and no longer', async () => {
  const lines: string[] = []
  await using portal = await startPortal({
    withCrm: true,
    env: { ZOHO_CREDITS_PER_DAY: '1000', METRICS_PORT: '0' },
    onLogLine: (line) => lines.push(line),
  })
  const lender = openLender(portal.crmUrl)
  const { pool, crm } = portal.deps
  const [busy, other] = [await portal.newPartner(), await portal.newPartner()]
  await busy.pushedLead((await busy.submitLead()).loid)
  await crm.usage()
  const { rows } = await pool.query('select partner_id, credits > 0 as has_cost from crm_partner_credits')
  expect(rows).toContainEqual({ partner_id: busy.id, has_cost: true })
  await pool.query('update crm_partner_credits set credits = 201 where partner_id = $1', [busy.id])
  await crm.usage()
  expect([...crm.partnersOverShare().keys()]).toEqual([busy.id])
  expect(lines.filter((line) => line.includes('more than a fifth') && line.includes(busy.id))).toHaveLength(1)
  const port = /"port":(\d+)[^\n]*metrics are served/.exec(lines.join(''))?.[1]
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(metrics).toMatch(/^portal_crm_partners_over_share 1$/m)

  await using folder = await openDataFolder()
  const zoho = { ZOHO_CLIENT_ID: 'sandbox', ZOHO_CLIENT_SECRET: 'sandbox', ZOHO_REFRESH_TOKEN: 'sandbox' }
  const check = await folder.command(['crm', 'check'], {
    ...zoho,
    ZOHO_ACCOUNTS_URL: portal.crmUrl,
    ZOHO_API_URL: portal.crmUrl,
    ZOHO_CREDITS_PER_DAY: '1000',
    DATABASE_URL: portal.database.url,
    SECRETS_KEY,
  })
  expect(check.out).toMatch(new RegExp(`^The partner ${busy.id} has used 2\\d\\d credits in 24 hours`, 'm'))

  // Nobody else waits.
  await busy.pushedLead((await busy.submitLead()).loid)

  await lender.faults({ unavailable: { every: 1, match: 'POST /crm/v8/Leads' } })
  const late = (await other.submitLead()).loid
  const waitsForRetry = async (loid: string) => {
    const job = await pool.query(
      `select output ->> 'message' as why from jobs.job where state = 'retry' and data ->> 'loid' = $1`,
      [loid],
    )
    return job.rows[0]?.why as string | undefined
  }
  await waitFor('the other partner to wait', () => waitsForRetry(late))
  const postpone = (time: string) =>
    pool.query(`update jobs.job set start_after = now() + $2::interval where data ->> 'loid' = $1`, [late, time])
  // A push that keeps failing is tried ever later, and does not hold up the busy partner meanwhile.
  await postpone('1 hour')
  await lender.faults({})
  await busy.pushedLead((await busy.submitLead()).loid)
  await postpone('1 minute')
  const held = (await busy.submitLead()).loid
  expect(await waitFor('the busy partner to wait', () => waitsForRetry(held))).toMatch(/others wait/)
  expect(lines.filter((line) => line.includes('others wait') && line.includes('stack'))).toEqual([])

  await pool.query(`update jobs.job set start_after = now() where data ->> 'loid' = $1`, [late])
  await other.pushedLead(late)
  await waitFor('the busy partner’s turn', async () => {
    await pool.query(`update jobs.job set start_after = now() where state = 'retry'`)
    return (await busy.get(`/crm/lead/${held}`)).body.data.lead.crm === 'synced'
  })
})
