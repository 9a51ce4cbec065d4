import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ActivityEntry, readActivity } from '@portal/contract/activity.ts'
import { readAttention } from '@portal/contract/attention.ts'
import { listDeals } from '@portal/contract/deals.ts'
import { readNews } from '@portal/contract/inbox.ts'
import { listLeads } from '@portal/contract/leads.ts'
import { readSecurityLog } from '@portal/contract/security-log.ts'
import { listViews } from '@portal/contract/views.ts'
import { listWebhookLogs } from '@portal/contract/webhooks.ts'
import { expect, test } from 'vitest'
import type { Deps } from '../../deps.ts'
import { DEMO_SIGN_IN } from '../../features/accounts/demo-sign-in.ts'
import { listOutbox, readOutboxMail } from '../../features/mails/outbox.ts'
import { startPortal, type TestPortal } from '../../testing/start-portal.ts'
import { BACKGROUND_JOBS } from '../background-jobs.ts'
import { seedDemo } from './seed-demo.ts'
import { type Act, STORY } from './story.ts'

const TEN_MINUTES_MS = 600_000
const MAILS_BEFORE_THE_KILL = 12

test('the demo tells three weeks once, although its start was cut off, and its first answers stay true', {
  timeout: 300_000,
}, async () => {
  // Here the lender confirms the partner first, and the story is the same.
  await using portal = await startPortal({ withCrm: true, env: { SIGNUP: 'approval' } })
  await fillSandbox(portal)
  await expect(seedDemo(endingAfter(portal.deps, MAILS_BEFORE_THE_KILL))).rejects.toThrow('killed')
  await seedDemo(portal.deps)
  await seedDemo(portal.deps)

  const { body } = await portal.post('/auth/login', DEMO_SIGN_IN)
  const read = async (path: string) => (await portal.get(path, { token: body.token })).body.data
  const first = await readAll(read)
  await runJobsTenMinutesLater(portal)
  expect(await readAll(read)).toEqual(first)

  expect(first.attention.map((item) => item.name)).toEqual(await namesInReadme())
  expect(first.news).toHaveLength(6)
  expect(first.views).toMatchObject([{ name: 'In conversation', is_shared: true, is_mine: true }])
  const told = first.activity.map((one: { title: string; description: string }) => `${one.title}: ${one.description}`)
  for (const line of STORY.flatMap(lineOf))
    expect([line, told.filter((one) => one.startsWith(line)).length]).toEqual([line, 1])
  const subjects = (await portal.mailsTo(DEMO_SIGN_IN.email)).map((mail) => /^Subject: (.*)$/m.exec(mail)?.[1])
  expect(subjects.filter((subject) => subject?.startsWith('Good news'))).not.toHaveLength(0)
  const outbox = join(portal.deps.config.dataDir, 'outbox')
  const mails = await Promise.all((await listOutbox(outbox, 100)).map((id) => readOutboxMail(outbox, id)))
  const times = mails.map(({ date }) => Date.parse(date ?? ''))
  expect(times.length).toBeGreaterThan(20)
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  const { entries } = readSecurityLog.answer.parse(await read('/security-log'))
  const events = entries.map(({ event }) => event)
  expect(events).toEqual(expect.arrayContaining(['signed-up', 'person-invited', 'invitation-accepted', 'api-key-made']))
  // The key that made leads is in the log with its calls.
  const calls = listWebhookLogs.answer.parse(await read('/dashboard/webhook-logs'))
  expect(calls.map(({ response_status, error_message }) => [response_status, error_message])).toEqual([
    [201, null],
    [400, 'Please enter a valid email address'],
    [201, null],
  ])
})

test('a portal in production answers that it has no demo', async () => {
  const ZOHO_URL = 'http://127.0.0.1:1'
  const zoho = { ZOHO_ACCOUNTS_URL: ZOHO_URL, ZOHO_API_URL: ZOHO_URL, ZOHO_CLIENT_ID: 'x', ZOHO_CLIENT_SECRET: 'x' }
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Portal <portal@example.com>' }
  const development = { NODE_ENV: 'development', SEED_DEMO: 'true' }
  const production = {
    NODE_ENV: 'production',
    PUBLIC_URL: 'http://localhost:3000',
    RATE_LIMITS: 'on',
    ...zoho,
    ...mail,
    ZOHO_REFRESH_TOKEN: 'x',
  }
  for (const [env, demo] of [
    [development, DEMO_SIGN_IN],
    [production, null],
  ] as const) {
    await using portal = await startPortal({ env })
    expect((await portal.get('/auth/demo')).body.data).toEqual({ demo })
  }
})

async function fillSandbox({ crmUrl }: TestPortal): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${crmUrl}/sandbox/reset`, { method: 'POST', headers, body: '{"seed":true}' })
  expect(answer.status).toBe(200)
}

/** The same portal, which fails after some mails, as if it were killed there. */
function endingAfter(deps: Deps, mails: number): Deps {
  let sent = 0
  return {
    ...deps,
    mail: {
      ...deps.mail,
      async send(mail) {
        if (sent === mails) throw new Error('killed')
        sent += 1
        await deps.mail.send(mail)
      },
    },
  }
}

/** How the list of activity begins to tell this act. */
function lineOf(act: Act): string[] {
  switch (act.does) {
    case 'submit':
      return [`Lead submitted: ${act.lead.businessName}, `]
    case 'status':
      return [`Lead status: ${act.to}: ${act.on} moved from `]
    case 'stage':
      return [`Deal stage: ${act.to}: ${act.on} – `]
    case 'attach':
      return [`Document from the lender: ${act.name}: ${act.on}`]
    default:
      return []
  }
}

/** The businesses that the README names below its picture of the demo. */
async function namesInReadme(): Promise<string[]> {
  const readme = await readFile(join(import.meta.dirname, '../../../../README.md'), 'utf8')
  const [caption = ''] = /^_A fresh demo: .*_$/m.exec(readme) ?? []
  return [...caption.matchAll(/\*\*(.+?)\*\*/g)].flatMap(([, name]) => name ?? [])
}

type Read = (path: string) => Promise<unknown>

async function readAll(read: Read) {
  const { leads } = listLeads.answer.parse(await read('/dashboard/leads?limit=100'))
  const { deals } = listDeals.answer.parse(await read('/dashboard/deals?limit=100'))
  const timelines: unknown[] = []
  for (const { loid } of leads) timelines.push(await read(`/crm/lead/${loid}/timeline`))
  for (const { loid } of deals) timelines.push(await read(`/crm/deal/${loid}/timeline`))
  return {
    attention: readAttention.answer.parse(await read('/dashboard/attention')).items,
    news: readNews.answer.parse(await read('/dashboard/news')).lines,
    activity: await readWholeActivity(read),
    stats: await read('/dashboard/stats'),
    views: listViews.answer.parse(await read('/dashboard/views')).views,
    timelines,
  }
}

async function readWholeActivity(read: Read): Promise<ActivityEntry[]> {
  const entries: ActivityEntry[] = []
  for (let query = ''; ; ) {
    const page = readActivity.answer.parse(await read(`/activity${query}`))
    entries.push(...page.activities)
    if (page.next_cursor === null) return entries
    query = `?cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

async function runJobsTenMinutesLater(portal: TestPortal): Promise<void> {
  portal.advance(TEN_MINUTES_MS)
  const { signal } = new AbortController()
  for (const job of BACKGROUND_JOBS) if (job.schedule) await job.run(portal.deps, {}, signal)
  // In ten minutes another whole day may end, and then answers rightly count one more.
  portal.advance(-TEN_MINUTES_MS)
}
