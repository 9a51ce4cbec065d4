import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { countLockWaits } from '../testing/lock-waits.ts'
import { newLead, startPortal } from '../testing/start-portal.ts'
import { waitFor } from '../testing/wait-for.ts'

test('a web process accepts a lead but runs no job, and a worker runs the job but answers only health checks', async () => {
  const lines: string[] = []
  await using web = await startPortal({ env: { ROLE: 'web' }, onLogLine: (line) => lines.push(line) })
  const partner = await web.newPartner()
  const { loid } = await partner.submitLead()

  await using worker = await startPortal({ on: web, withCrm: true, env: { ROLE: 'worker' } })
  expect((await partner.pushedLead(loid)).crm).toBe('synced')
  expect(lines.filter((line) => line.includes('"job"'))).toEqual([])
  expect((await worker.get('/ready')).status).toBe(200)
  // What a balancer asks.
  expect((await worker.get('/ready?for=pages')).status).toBe(503)
  expect((await web.get('/ready?for=pages')).status).toBe(200)
  expect((await worker.get('/health')).status).toBe(200)
  expect(await worker.get('/profile', { token: partner.token })).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND' },
  })
})

test('a portal that is stopping is no longer ready, but answers requests until the drain is over', async () => {
  const portal = await startPortal({ env: { DRAIN_SECONDS: '1' } })
  const partner = await portal.newPartner()
  expect((await partner.get('/profile')).headers.get('connection')).toBe('keep-alive')

  const stopped = portal[Symbol.asyncDispose]()
  expect(await portal.get('/ready')).toMatchObject({
    status: 503,
    body: { error: 'The portal is stopping', code: 'UNAVAILABLE' },
  })
  const submitted = await partner.post('/dashboard/leads', newLead())
  expect([submitted.status, submitted.headers.get('connection')]).toEqual([201, 'close'])
  await stopped
  await expect(portal.get('/health')).rejects.toThrow('ECONNREFUSED')
})

test('requests in flight at a stop are answered, even a request whose last header arrives after the port has closed', async () => {
  const portal = await startPortal()
  const partner = await portal.newPartner()
  const port = Number(new URL(portal.url).port)
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET /api/profile HTTP/1.1\r\nhost: portal\r\n')
  const { held, stopped } = await portal.deps.db.transaction().execute(async (tx) => {
    await sql`lock table leads`.execute(tx)
    const held = partner.post('/dashboard/leads', newLead())
    await waitFor('the lead to wait for the lock', async () => (await countLockWaits(tx)) > 0)
    const stopped = portal[Symbol.asyncDispose]()
    await waitFor('the port to close', () => isRefused(port))
    socket.write(`authorization: Bearer ${partner.token}\r\n\r\n`)
    expect(await answerOn(socket)).toMatch(
      /^HTTP\/1.1 200 OK\r\n(?:.+\r\n)*connection: close\r\n(?:.+\r\n)*\r\n{"success":true/,
    )
    return { held, stopped }
  })
  expect((await held).status).toBe(201)
  await stopped
})

test('a file whose head was sent before a stop is sent whole, and the stop waits no longer than that', async () => {
  const portal = await startPortal()
  const partner = await portal.newPartner()
  const headers = { authorization: `Bearer ${partner.token}` }
  const { file, stopped, beganAt } = await portal.deps.db.transaction().execute(async (tx) => {
    await sql`lock table leads`.execute(tx)
    const file = await fetch(`${portal.url}/api/dashboard/leads/export`, { headers })
    const beganAt = performance.now()
    const stopped = portal[Symbol.asyncDispose]()
    await waitFor('the port to close', () => isRefused(Number(new URL(portal.url).port)))
    return { file, stopped, beganAt }
  })
  expect(await file.text()).toMatch(/^Business Name,.*\r\n$/)
  await stopped
  // After 10 seconds the stop gives up.
  expect(performance.now() - beganAt).toBeLessThan(9_000)
})

function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('error', () => resolve(true))
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
  })
}

async function answerOn(socket: Socket): Promise<string> {
  let text = ''
  for await (const piece of socket) text += piece
  return text
}
