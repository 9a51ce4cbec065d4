import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startKillablePortal } from '../../testing/killable-portal.ts'
import { newLead, startPortal } from '../../testing/start-portal.ts'

const HOUR_MS = 3_600_000

test('a process on a machine whose clock is an hour wrong has the same time and the same limits as the others', async () => {
  await using portal = await startPortal({ env: { RATE_LIMITS: 'on' } })
  const partner = await portal.newPartner()
  const folder = join(portal.deps.config.dataDir, 'other')
  const other = await startKillablePortal({
    databaseUrl: portal.database.url,
    folder,
    env: {
      NODE_OPTIONS: `--import=${new URL('../../testing/movable-clock.ts', import.meta.url)}`,
      CLOCK_AHEAD_MS: String(HOUR_MS),
      RATE_LIMITS: 'on',
    },
  })
  try {
    const send = (path: string, body: object) =>
      fetch(`${other.url}/api${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${partner.token}` },
        body: JSON.stringify(body),
      })
    const created = await send('/dashboard/leads', newLead())
    expect(created.status).toBe(201)
    const { leads } = (await partner.get('/dashboard/leads')).body.data
    expect(Math.abs(Date.parse(leads[0].created_at) - Date.now())).toBeLessThan(60_000)

    const guess = { email: 'nobody@example.com', password: 'a-wrong-password' }
    const left = async (answer: { headers: Headers }) => Number(answer.headers.get('ratelimit-remaining'))
    const first = await left(await portal.post('/auth/login', guess))
    expect(await left(await send('/auth/login', guess))).toBe(first - 1)
    expect(await left(await portal.post('/auth/login', guess))).toBe(first - 2)
  } finally {
    await other.kill()
  }
})
