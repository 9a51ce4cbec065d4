import { liveMessage } from '@portal/contract/live.ts'
import { QueryObserver } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { createQueryClient, LIST_FRESHNESS } from '../api/query-client.ts'
import { createRefresh } from './refresh-stale.ts'

const changed = liveMessage('lead.status_changed', 'LO-7K3M9QAZ', '2026-11-20T01:00:00.000Z')

test.each([true, false])(
  'a change during the first fetch of a query is fetched too (the query is shown: %s)',
  async (isShown) => {
    vi.useFakeTimers()
    const queryClient = createQueryClient()
    const refresh = createRefresh(queryClient)
    let status = 'New Lead'
    const lead = {
      queryKey: ['leads', 'detail', 'LO-7K3M9QAZ'],
      queryFn: async () => {
        const answer = status
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        return answer
      },
      ...LIST_FRESHNESS,
    }
    const observer = new QueryObserver(queryClient, lead)
    let stop = isShown ? observer.subscribe(() => undefined) : () => undefined
    if (!isShown) void queryClient.query(lead)

    await vi.advanceTimersByTimeAsync(500)
    status = 'Contacted'
    if (changed) refresh(changed)
    await vi.advanceTimersByTimeAsync(1_000)
    if (!isShown) stop = observer.subscribe(() => undefined)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(queryClient.getQueryData(lead.queryKey)).toBe('Contacted')
    stop()
  },
)
