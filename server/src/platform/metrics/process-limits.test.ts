import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pass } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDatabase } from '../../testing/databases.ts'
import { startKillablePortal } from '../../testing/killable-portal.ts'
import { startPortal } from '../../testing/start-portal.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { readProcessLimits } from './process-limits.ts'

const LINUX = process.platform === 'linux'
const CALLERS = 1_500
// oxlint-disable-next-line node/no-process-env -- a longer run than that of every day
const DESCRIPTORS = (process.env['DESCRIPTORS'] ?? '256').split(',').map(Number)

test.runIf(LINUX).each(DESCRIPTORS)(
  'with %i descriptors, a process outlives 1,500 callers who reconnect, and then answers lists at once',
  async (descriptors) => {
    const database = await createDatabase()
    await using portal = await startPortal({ on: { database } })
    const { token } = await portal.newPartner()
    const folder = join(tmpdir(), `portal-limits-${process.pid}`)
    const server = await startKillablePortal({ databaseUrl: database.url, folder, descriptors })
    try {
      const { hostname, port } = new URL(server.url)
      let isOver = false
      let opened = 0
      const sockets = new Set<Socket>()
      const call = () => {
        if (isOver) return
        opened += 1
        const socket = connect({ host: hostname, port: Number(port) })
        sockets.add(socket)
        socket.on('error', () => undefined)
        socket.on('close', () => {
          sockets.delete(socket)
          // A refused caller comes back as soon as a real program would.
          setTimeout(call, 50)
        })
      }
      for (let i = 0; i < CALLERS; i += 1) call()
      await waitFor('the callers to have come back', async () => opened > 4 * CALLERS)
      // Timers of a process that has no descriptor left run in this time too.
      await pass(1_500)
      isOver = true
      for (const socket of sockets) socket.destroy()
      await waitFor('no caller to be left', async () => sockets.size === 0)
      expect(server.hasExited()).toBe(false)
      const answer = await fetch(`${server.url}/api/dashboard/leads`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(2_000),
      })
      expect(answer.status).toBe(200)
    } finally {
      await server.kill()
    }
  },
)

test('a process accepts no more connections than its settings, its descriptors and its memory allow', async () => {
  const limits = await readProcessLimits({ connectionsMax: 1_000_000, databasePool: 16 })
  const { descriptors = 1_000_000, memoryBytes, connectionsMax } = limits
  expect(connectionsMax).toBeLessThanOrEqual(descriptors - 148)
  expect(connectionsMax).toBeLessThanOrEqual(memoryBytes / 2 / 65_536)
  expect((await readProcessLimits({ connectionsMax: 50, databasePool: 16 })).connectionsMax).toBe(50)
  expect((await readProcessLimits({ connectionsMax: 50, databasePool: 1_000_000 })).connectionsMax).toBe(10)
})
