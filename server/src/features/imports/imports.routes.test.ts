import { CONSENT_VERSION } from '@portal/contract/leads.ts'
import { expect, test } from 'vitest'
import { startPortal, type TestPartner } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'

const HEADING = 'Business Name,First Name,Last Name,Email,Phone,Loan Amount'
const line = (n: number, phone = `0491 570 ${String(n).padStart(3, '0')}`) =>
  `Business ${n},Robin,Lee ${n},robin${n}@example.com,${phone},"50,000"`

function csv(...lines: string[]): Buffer {
  return Buffer.from([HEADING, ...lines].join('\r\n'))
}

async function check(partner: TestPartner, file: Buffer) {
  const answer = await partner.post('/dashboard/leads/imports?name=clients.csv', file)
  expect([answer.status, answer.body.error]).toEqual([201, undefined])
  return answer.body.data
}

async function rowsOf(partner: TestPartner, id: string, show = 'all') {
  const answer = await partner.get(`/dashboard/leads/imports/${id}/rows?show=${show}&limit=100`)
  expect(answer.status).toBe(200)
  return answer.body.data.rows
}

async function submit(partner: TestPartner, id: string, body: object = {}) {
  const { standings } = (await partner.get(`/dashboard/leads/imports/${id}`)).body.data
  const wanted = { consentVersion: CONSENT_VERSION, withDuplicates: false, rows: standings.ready, ...body }
  const answer = await partner.post(`/dashboard/leads/imports/${id}/submit`, wanted)
  expect([answer.status, answer.body.error]).toEqual([202, undefined])
  return waitFor('the end of the import', async () => {
    const { data } = (await partner.get(`/dashboard/leads/imports/${id}`)).body
    return data.state === 'done' && data
  })
}

test('a file is checked by the form’s rules, mended in place and submitted once; the same file again writes nothing', async () => {
  await using portal = await startPortal()
  const partner = await portal.newPartner()
  const file = csv(line(6), line(110), line(1, '491570156'), line(2, '123'), ',,,,,', line(156, '0491 570 110'))
  const checked = await check(partner, file)
  expect(checked).toMatchObject({
    name: 'clients.csv',
    rows: 5,
    offers: 1,
    standings: { ready: 2, wrong: 2, duplicate: 1, known: 0 },
  })
  const [, , offered, wrong, alike] = await rowsOf(partner, checked.id)
  expect(offered.problems).toMatchObject([{ field: 'phone', offer: '0491570156', message: /0491 570 156/ }])
  expect(wrong).toMatchObject({ number: 5, standing: 'wrong', problems: [{ field: 'phone', offer: null }] })
  expect(alike).toMatchObject({ number: 7, earlier: 3, standing: 'duplicate' })

  const accepted = await partner.post(`/dashboard/leads/imports/${checked.id}/accept-offers`)
  expect(accepted.body.data).toMatchObject({ offers: 0, standings: { ready: 3, wrong: 1 } })
  const mended = await partner.put(`/dashboard/leads/imports/${checked.id}/rows`, {
    number: 5,
    values: { phone: '0491 570 157' },
  })
  expect(mended.body.data).toMatchObject({
    import: { standings: { ready: 4, wrong: 0 } },
    row: { standing: 'ready', mended: ['phone'], lead: { phone: '+61491570157', loan_amount: 50_000 } },
  })

  const done = await submit(partner, checked.id)
  expect(done).toMatchObject({ chosen: 4, submitted: 4, left_out: 0, changed: 0 })
  const { leads } = (await partner.get('/dashboard/leads?limit=100')).body.data
  expect(leads).toHaveLength(4)

  const again = await check(partner, file)
  expect(again.standings).toEqual({ ready: 0, wrong: 0, duplicate: 1, known: 4 })
  const left = (await partner.get(`/dashboard/leads/imports/${again.id}/left-out`)).body.data
  expect(left).toContain('Why,Business Name')
  expect(left).toMatch(/"Imported before, as LO-\w+",Business 6/)
})
