import { setTimeout as sleep } from 'node:timers/promises'
import { LiveMessage } from '@portal/contract/live.ts'
import { messagesOf } from '../server/src/testing/messages-of.ts'
import type { Account } from './account.ts'

const RETRY_MS = 1_000
const RETRY_MS_MAX = 4_000

export interface CountedStreams {
  /** Streams that the portal or the balancer ended. */
  cut: number
  /** Streams that got `stream.opened` after a cut. By then they have received everything they had missed. */
  caughtUp: number
  /** Attempts to open a stream that were refused or got no answer. */
  refused: number
}

export interface Streams {
  count: number
  /** Returns the counts since the last call. */
  take(): CountedStreams
  areOpen(): boolean
  /** When all streams were open again after the last cut. */
  openSince(): number
  /** How many `lead.created` events each page of the account got for this lead. The right number is one. */
  timesTold(account: Account, loid: string): number[]
  close(): void
}

/** Opens streams as web/src/live/follow.ts does: each resumes after a break and drops events that it already had. */
export function openStreams(port: () => number, accounts: readonly Account[], pagesEach: number): Streams {
  const leaving = new AbortController()
  let counted: CountedStreams = { cut: 0, caughtUp: 0, refused: 0 }
  let open = 0
  let openSince = 0
  const pagesOf = new Map<number, Map<string, number>[]>()

  async function follow(account: Account, told: Map<string, number>): Promise<void> {
    const seen = new Set<string>()
    let lastEventId = ''
    let failures = 0
    let wasOpen = false
    while (!leaving.signal.aborted) {
      let isOpen = false
      try {
        const headers = {
          authorization: `Bearer ${account.token}`,
          ...(lastEventId && { 'last-event-id': lastEventId }),
        }
        const response = await fetch(`http://127.0.0.1:${port()}/api/live`, { headers, signal: leaving.signal })
        if (!response.ok) throw new Error(String(response.status))
        for await (const { id, data } of messagesOf(response)) {
          const { type, loid } = LiveMessage.parse(JSON.parse(data))
          failures = 0
          if (type === 'stream.opened' && !isOpen) {
            isOpen = true
            open += 1
            if (open === count) openSince = Date.now()
            if (wasOpen) counted.caughtUp += 1
            wasOpen = true
          }
          if (id === undefined || seen.has(id)) continue
          seen.add(id)
          if (id > lastEventId) lastEventId = id
          if (type === 'lead.created' && loid) told.set(loid, (told.get(loid) ?? 0) + 1)
        }
      } catch {
        if (!isOpen && !leaving.signal.aborted) counted.refused += 1
        failures += 1
      }
      if (isOpen) {
        open -= 1
        counted.cut += 1
      }
      const ms = failures === 0 ? Math.random() * RETRY_MS : Math.min(RETRY_MS * 2 ** (failures - 1), RETRY_MS_MAX)
      await sleep(ms, undefined, { signal: leaving.signal }).catch(() => undefined)
    }
  }

  const count = accounts.length * pagesEach
  for (const account of accounts) {
    const pages = Array.from({ length: pagesEach }, () => new Map<string, number>())
    pagesOf.set(account.number, pages)
    for (const told of pages) void follow(account, told)
  }
  return {
    count,
    take() {
      const taken = counted
      counted = { cut: 0, caughtUp: 0, refused: 0 }
      return taken
    },
    areOpen: () => open === count,
    openSince: () => openSince,
    timesTold: (account, loid) => (pagesOf.get(account.number) ?? []).map((told) => told.get(loid) ?? 0),
    close: () => leaving.abort(),
  }
}
