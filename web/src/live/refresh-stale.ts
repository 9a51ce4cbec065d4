import type { LiveMessage } from '@portal/contract/live.ts'
import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { staleQueries } from './stale-queries.ts'

/** All messages that arrive within this time cause only one refresh. */
const GATHER_MS = 150
const GATHER_MS_MAX = 1_000
/** After an outage of the server, all pages reconnect at once, so each refreshes at a random time within this span. */
const SPREAD_MS = 8_000

/**
 * Returns a function that takes each message and fetches the stale queries of the visible page again. Other stale
 * queries wait until a page shows them. A refresh begins only after the previous one has ended, so that a slow server
 * does not get ever more requests.
 */
export function createRefresh(queryClient: QueryClient): (message: LiveMessage) => void {
  const stale = new Map<string, QueryKey>()
  let refreshing: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let gatheringSince = 0

  async function refresh() {
    timer = undefined
    const keys = [...stale.values()]
    stale.clear()
    refreshing = fetchAgain(queryClient, keys).then(() => {
      refreshing = undefined
      if (stale.size > 0) gather()
    })
    await refreshing
  }

  function gather() {
    const now = Date.now()
    if (timer === undefined) gatheringSince = now
    clearTimeout(timer)
    timer = setTimeout(() => void refresh(), Math.min(GATHER_MS, gatheringSince + GATHER_MS_MAX - now))
  }

  function note(message: LiveMessage) {
    for (const key of staleQueries(message)) stale.set(JSON.stringify(key), key)
    if (!refreshing && stale.size > 0) gather()
  }

  return (message) => {
    if (message.type === 'stream.opened') setTimeout(() => note(message), Math.random() * SPREAD_MS)
    else note(message)
  }
}

async function fetchAgain(queryClient: QueryClient, keys: readonly QueryKey[]) {
  const queries = keys.flatMap((queryKey) => queryClient.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' }))
  // A first fetch is not interrupted, because the page has nothing else to show. But its answer may be older than the
  // change, and would count as fresh. So these queries are made stale after the answer arrives.
  const first = new Set(queries.filter(({ state }) => state.data === undefined))
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  await Promise.allSettled([...first].flatMap(({ promise }) => promise ?? []))
  await Promise.all([...first].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey, exact: true })))
}
