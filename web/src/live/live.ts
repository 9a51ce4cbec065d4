import type { QueryClient } from '@tanstack/react-query'
import { follow } from './follow.ts'
import { createRefresh } from './refresh-stale.ts'

/** Keeps what the page shows as new as the server has it (D70, D71), until `signal`. */
export function startLive(queryClient: QueryClient, signal: AbortSignal): void {
  follow(createRefresh(queryClient), signal)
}
