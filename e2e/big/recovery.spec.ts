import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type APIRequestContext, expect } from '@playwright/test'
import { listDeals } from '../../contract/src/deals.ts'
import { createLead, listLeads, readLead } from '../../contract/src/leads.ts'
import { SyncRun } from '../../contract/src/sync.ts'
import { openLender } from '../../server/src/testing/lender.ts'
import { killedCrmUrl, killedPortalUrl } from '../addresses.ts'
import { newAccount } from '../partner.ts'
import { isAlive, isReady, type Product, startProduct } from '../product.ts'
import { signedOut as test } from '../session.ts'

test.skip(process.platform !== 'linux', 'the test needs /proc to find processes')

let folder: string
let product: Product

test.beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'portal that is killed-'))
  // PostgreSQL may run as another user, who needs access to the folder.
  chmodSync(folder, 0o711)
})

test.afterEach(async ({ browserName: _ }, info) => {
  if (info.status !== info.expectedStatus) await info.attach('output of the product', { body: product?.output() ?? '' })
  for (const pid of product?.pids() ?? []) {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

test.use({ baseURL: killedPortalUrl })

test('no acknowledged lead or note is lost when PostgreSQL, the sandbox or the server is killed', async ({
  request,
}) => {
  test.setTimeout(720_000)
  const dataDir = path.join(folder, 'data of mine')
  const lender = openLender(killedCrmUrl)
  product = await startProduct(dataDir)
  const partner = await newPartner(request)
  const leads: string[] = []
  const notes: string[] = []

  async function submitWhile(kill: () => Promise<void>): Promise<void> {
    const expected = leads.length + 12
    let killing: Promise<void> | undefined
    let begun = leads.length
    async function submitter() {
      while (begun++ < expected) {
        const loid = await partner.submitLead()
        leads.push(loid)
        if (leads.length === expected - 8) killing = kill()
        if (leads.length % 3 === 0) notes.push(await partner.addNote(loid))
      }
    }
    await Promise.all([submitter(), submitter(), submitter()])
    await killing
  }

  await test.step('PostgreSQL is killed and comes back by itself', async () => {
    const before = product.postgresPid()
    await submitWhile(async () => {
      process.kill(before, 'SIGKILL')
      await expect.poll(() => isAlive(before)).toBe(false)
    })
    await isReady()
    expect(product.postgresPid()).not.toBe(before)
  })

  await test.step('the CRM sandbox is killed and comes back by itself', async () => {
    const before = product.sandboxPid()
    await submitWhile(async () => {
      process.kill(before, 'SIGKILL')
      await expect
        .poll(() =>
          fetch(killedCrmUrl).then(
            () => product.sandboxPid(),
            () => 0,
          ),
        )
        .toBeGreaterThan(0)
    })
    expect(product.sandboxPid()).not.toBe(before)
  })

  await test.step('the server is killed, and the next start needs no help', async () => {
    await submitWhile(restartAfterKill)
  })

  async function restartAfterKill() {
    const before = product.pids()
    expect(before.length).toBeGreaterThan(3)
    product.process.kill('SIGKILL')
    await product.ended
    product = await startProduct(dataDir)
    await expect.poll(() => before.filter(isAlive)).toEqual([])
  }

  await test.step('the portal and the CRM have every lead and note exactly once', async () => {
    // A note whose push was cut off while it was sent is sent again after five minutes.
    await expect.poll(() => partner.waitingForCrm(), { timeout: 360_000 }).toEqual([])
    expect(await partner.leads()).toEqual(leads.toSorted())
    expect(await partner.notes()).toEqual(notes.toSorted())
    const inCrm = await lender.list('Leads', 'LOID')
    expect(inCrm.map((lead) => String(lead['LOID'])).toSorted()).toEqual(leads.toSorted())
    const notesInCrm = await lender.list('Notes', 'Note_Content')
    const words = notesInCrm.map((note) => String(note['Note_Content']).split('\n\n— ')[0])
    expect(words.toSorted()).toEqual(notes.toSorted())
  })

  await test.step('a sync that is interrupted by the server’s death ends with the right result', async () => {
    await partner.sync('leads')
    const inCrm = new Map((await lender.list('Leads', 'LOID')).map(({ LOID, id }) => [String(LOID), String(id)]))
    const [converted = '', ...contacted] = leads.slice(0, 13)
    // Drops the CRM's notifications, because they would leave nothing for the sync to do.
    const notifications = { drop: 1_000 }
    await lender.faults({ notifications })
    await lender.convert(inCrm.get(converted) ?? '')
    for (const loid of contacted) await lender.update('Leads', inCrm.get(loid) ?? '', { Lead_Status: 'Contacted' })

    await lender.faults({ slowMs: 100, notifications })
    const { total } = await lender.calls()
    const cutOff = partner.sync('leads').then(
      () => 'answered',
      () => 'cut off',
    )
    await expect.poll(async () => (await lender.calls()).total - total, { intervals: [20] }).toBeGreaterThan(6)
    await restartAfterKill()
    expect(await cutOff).toBe('cut off')
    await lender.faults({})

    const nothing = { created: 0, removed: 0, problems: [] }
    const total_zoho_leads = leads.length
    // The sweep after the start and the resumed run share the work, so the number of updates is not fixed.
    expect(await partner.sync('leads')).toMatchObject({ ...nothing, total_zoho_leads })
    expect(await partner.sync('leads')).toMatchObject({ ...nothing, updated: 0, converted: 0 })
    expect(await partner.sync('deals')).toMatchObject({ ...nothing, total_zoho_deals: 1, updated: 0, skipped: 1 })
    expect(await partner.leads()).toEqual(leads.filter((loid) => loid !== converted).toSorted())
    expect(await partner.deals()).toEqual([converted])
    expect(await partner.contacted()).toEqual(contacted.toSorted())
  })

  await test.step('SIGTERM stops the product and leaves no process running', async () => {
    const before = product.pids()
    product.process.kill('SIGTERM')
    expect(await product.ended).toBe(0)
    expect(before.filter(isAlive)).toEqual([])
  })
})

/** A partner whose program repeats each lead and note under the same key until the portal acknowledges it (D9). */
async function newPartner(request: APIRequestContext) {
  const { number, ...account } = newAccount()
  await post('auth/signup', { data: account })
  const { email, password } = account
  const { token } = await post('auth/login', { data: { email, password } })
  const headers = { authorization: `Bearer ${token}` }
  let submitted = 0

  async function post(address: string, options: Parameters<APIRequestContext['post']>[1]) {
    const answer = await request.post(`/api/${address}`, options)
    expect(answer.ok(), `${address}: ${answer.status()}`).toBe(true)
    return answer.json()
  }

  async function get(address: string) {
    const answer = await request.get(`/api/${address}`, { headers })
    expect(answer.ok(), `${address}: ${answer.status()}`).toBe(true)
    return answer.json()
  }

  async function untilAcknowledged(address: string, data: object) {
    const key = { 'idempotency-key': randomUUID() }
    let answer: { data: unknown } = { data: undefined }
    await expect(async () => {
      answer = await post(address, { data, headers: { ...headers, ...key } })
    }).toPass({ intervals: [50], timeout: 30_000 })
    return answer.data
  }

  async function leads() {
    const { data, pagination } = await get('dashboard/leads?limit=100')
    expect(pagination.has_more).toBe(false)
    return listLeads.answer.parse(data).leads
  }

  async function notesOf(loid: string) {
    const { data } = await get(`crm/lead/${loid}`)
    return readLead.answer.parse(data).notes
  }

  return {
    async submitLead(): Promise<string> {
      submitted++
      const answer = await untilAcknowledged('dashboard/leads', {
        firstName: 'Jo',
        lastName: `Marsh ${submitted}`,
        email: `jo-${number}-${submitted}@saltbush.example`,
        phone: `0491 57${String(submitted).padStart(4, '0')}`,
        businessName: `Saltbush Transport ${submitted}`,
        loanAmount: 1_000 * submitted,
      })
      return createLead.answer.parse(answer).loid
    },

    async addNote(loid: string): Promise<string> {
      const content = `Please call about ${loid}`
      await untilAcknowledged(`crm/note/${loid}`, { content })
      return content
    },

    async leads(): Promise<string[]> {
      return (await leads()).map(({ loid }) => loid).toSorted()
    },

    /** The leads that the lender has contacted. */
    async contacted(): Promise<string[]> {
      const found = (await leads()).filter((lead) => lead.lead_status === 'Contacted')
      return found.map(({ loid }) => loid).toSorted()
    },

    async deals(): Promise<string[]> {
      const { data } = await get('dashboard/deals')
      return listDeals.answer.parse(data).deals.map(({ loid }) => loid)
    },

    async notes(): Promise<string[]> {
      const notes = await Promise.all((await leads()).map(({ loid }) => notesOf(loid)))
      return notes
        .flat()
        .map(({ content }) => content)
        .toSorted()
    },

    /** The LOIDs of leads that are not in the CRM yet, or that have a note that is not in the CRM yet. */
    async waitingForCrm(): Promise<string[]> {
      const all = await leads()
      const notes = await Promise.all(all.map(({ loid }) => notesOf(loid)))
      const isWaiting = all.map((lead, at) => [lead, ...(notes[at] ?? [])].some(({ crm }) => crm !== 'synced'))
      return all.filter((_, at) => isWaiting[at]).map(({ loid }) => loid)
    },

    /** Starts a sync and returns its result, even if the run continues after the answer. */
    async sync(kind: 'leads' | 'deals'): Promise<unknown> {
      const { data } = await post(`dashboard/sync-${kind}`, { headers })
      if (data.status !== 'running') return data
      let run: SyncRun | undefined
      await expect(async () => {
        run = SyncRun.parse((await get(`dashboard/sync-runs/${data.run_id}`)).data)
        expect(run.status).not.toBe('running')
      }).toPass({ timeout: 60_000 })
      return run?.result
    },
  }
}
