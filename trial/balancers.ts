import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account, Ask } from './account.ts'
import { until } from './processes.ts'
import { PORTS } from './stage.ts'

/** Longer than any balancer keeps a silent connection open by default. */
const QUIET_MS = 70_000
/** If a proxy buffers answers, events arrive later than this. */
const AT_ONCE_MS_MAX = 1_000
/** A stream sends a comment every 20 s. By the second comment, a proxy notices that the client has gone. */
const FREED_MS_MAX = 45_000
const BALANCERS = ['haproxy', 'nginx', 'caddy'] as const

interface Scene {
  ask: Ask
  account: Account | undefined
  fault(text: string): void
}

/**
 * Opens a live page through each balancer of deploy/. Events must arrive at once, a quiet page must stay open beyond
 * the usual time-out of proxies, and the portal must soon free the stream of a page that was closed.
 */
export async function tryBalancers({ ask, account, fault }: Scene): Promise<void> {
  if (!account) return
  const { token } = account
  let turn = 0
  const before = await openInPortal()
  const pages = BALANCERS.map((name) => ({ name, ...openPage(PORTS.balancers[name], token) }))
  await until('the pages to be live', async () => pages.every(({ heard }) => heard().includes('stream.opened')))

  async function tell(): Promise<void> {
    const body = {
      firstName: 'Live',
      lastName: 'Page',
      email: `live${turn++}@example.com`,
      phone: '0491 570 156',
      businessName: 'Live',
      loanAmount: 1_000,
      loanType: 'Term Loan',
    }
    const answer = await ask('POST', '/dashboard/leads', { token, body })
    const loid = answer.body.data?.loid ?? ''
    const answeredAt = performance.now()
    const times = await Promise.all(
      pages.map(async ({ name, heard }) => {
        await until(`${name} to pass the event on`, async () => heard().includes(loid))
        return `${name} ${Math.round(performance.now() - answeredAt)} ms`
      }),
    )
    if (performance.now() - answeredAt > AT_ONCE_MS_MAX) fault(`events were late: ${times.join(', ')}`)
    console.log(`  from the answer to a submission until its event: ${times.join(', ')}`)
  }

  await tell()
  await sleep(QUIET_MS)
  const cut = pages.filter(({ isOver }) => isOver()).map(({ name }) => name)
  if (cut.length > 0) fault(`${cut.join(' and ')} closed the connection of a quiet page`)
  else {
    console.log(`  after ${QUIET_MS / 1_000} s without an event, all pages are still open`)
    await tell()
  }
  for (const { name, leave } of pages) {
    const openBefore = await openInPortal()
    leave()
    const leftAt = performance.now()
    await until(`${name} to free the page`, async () => (await openInPortal()) < openBefore)
    const seconds = (performance.now() - leftAt) / 1_000
    console.log(`  ${name} closed the connection of an abandoned page after ${seconds.toFixed(1)} s`)
    if (1_000 * seconds > FREED_MS_MAX)
      fault(`${name} closed the connection of an abandoned page only after ${seconds.toFixed(0)} s`)
  }
  if ((await openInPortal()) > before) fault('the connection of an abandoned page is still open')
}

function openPage(port: number, token: string) {
  let text = ''
  let isOver = false
  const headers = { authorization: `Bearer ${token}` }
  const call = request({ agent: false, port, host: '127.0.0.1', path: '/api/live', headers }, (answer) => {
    answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    answer.on('close', () => (isOver = true)).on('error', () => undefined)
  })
  call.on('error', () => (isOver = true)).end()
  return { heard: () => text, isOver: () => isOver, leave: () => call.destroy() }
}

/** The number of live pages in both web processes, from their metrics. */
async function openInPortal(): Promise<number> {
  const counts = PORTS.metrics.map(async (port) => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(/^portal_live_streams (\d+)/m.exec(text)?.[1] ?? 0)
  })
  return (await Promise.all(counts)).reduce((sum, one) => sum + one, 0)
}
