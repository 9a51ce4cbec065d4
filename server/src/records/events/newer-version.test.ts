import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../platform/db/ids.ts'
import { openDataFolder } from '../../testing/portal-process.ts'
import { startReceiver } from '../../testing/receiver.ts'
import { confirmEmail, SECRETS_KEY, startPortal } from '../../testing/start-portal.ts'
import { tellNewsSoon } from '../../testing/tell-news.ts'
import { waitFor } from '../../testing/wait-for.ts'

test('what only a newer version knows is left out of pages, mails and the command line, and waits to be delivered', async () => {
  await using portal = await startPortal({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
  await using receiver = await startReceiver()
  await using folder = await openDataFolder()
  const { db } = portal.deps
  const ada = await portal.newPartner()
  await confirmEmail(portal, ada)
  await ada.put('/dashboard/webhook-url', { webhook_url: receiver.url })
  const { loid } = await ada.submitLead()
  await receiver.first(1)
  const newer = [newId(), newId()]
  for (const [id, type] of [
    [newer[0], 'deal.amount_changed'],
    [newer[1], 'lead.signed'],
  ]) {
    await sql`insert into events (id, partner_id, type, loid, data, created_at)
              values (${id}, ${ada.id}, ${type}, ${loid}, '{"was": 1}', now())`.execute(db)
    await sql`insert into mail_news (id, partner_id, kind, type, loid, data, created_at)
              values (${id}, ${ada.id}, 'outcome', ${type}, ${loid}, '{}', now())`.execute(db)
  }
  await sql`insert into security_log (id, partner_id, at, event, kind) values (${newId()}, ${ada.id}, now(), 'lead-exported', 'account')`.execute(
    db,
  )
  const { loid: later } = await ada.submitLead()

  const types = ['/dashboard/recent-activity', '/activity'].map(async (path) => {
    const { status, body } = await ada.get(path)
    return [status, body.data.activities.map((one: { loid: string }) => one.loid)]
  })
  expect(await Promise.all(types)).toEqual(Array(2).fill([200, [later, loid]]))
  for (const path of ['/dashboard/news', '/dashboard/attention', `/crm/lead/${loid}/timeline`, `/crm/lead/${loid}`]) {
    const { status, body } = await ada.get(path)
    expect([path, status, JSON.stringify(body)]).toEqual([path, 200, expect.not.stringContaining('amount_changed')])
  }
  const log = await ada.get('/security-log')
  expect([log.status, log.body.data.entries.some((one: { event: string }) => one.event === 'lead-exported')]).toEqual([
    200,
    false,
  ])
  const command = await folder.command(['security-log'], { DATABASE_URL: portal.database.url, SECRETS_KEY })
  expect([command.code, command.out]).toEqual([
    0,
    expect.stringMatching(/lead-exported \(an event of a newer version\)$/m),
  ])

  // The newer version fans out news, and this version's worker composes the mails.
  await sql`insert into mail_news_for_people (person_id, news_id, due_at)
            select people.id, ${newer[0]}, now() from people where partner_id = ${ada.id}`.execute(db)
  await tellNewsSoon(portal)
  expect((await portal.mailsTo(ada.email)).filter((mail) => mail.includes('List-Unsubscribe:'))).toEqual([])
  const waiting = await waitFor('the known event to be delivered', async () => {
    const delivered = receiver.received.map((one) => one.body.data.loid)
    return (
      delivered.includes(later) &&
      (await sql<{ id: string }>`select id from events where to_deliver order by id`.execute(db)).rows
    )
  })
  expect(waiting.map((row) => row.id)).toEqual(newer.toSorted())
  expect(receiver.received).toHaveLength(2)
  const news = await sql`select from mail_news where to_fan_out`.execute(db)
  expect(news.rows).toHaveLength(2)
})
