import type { QueryClient } from '@tanstack/react-query'
import { follow } from './follow.ts'
import { createRefresh } from './refresh-stale.ts'

/**
 * Keeps the page's data up to date with the server's data (D70, D71) until `signal` aborts. The page's first data is
 * from `startedAt`.
 */
export function startLive(queryClient: QueryClient, signal: AbortSignal, startedAt: number): void {
  follow(createRefresh(queryClient), signal, startedAt)
}
