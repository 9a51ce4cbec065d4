import { HOLDS } from '@portal/contract/holds.ts'
import type { SyncRun } from '@portal/contract/sync.ts'
import {
  type QueryClient,
  queryOptions,
  skipToken,
  useIsMutating,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { Failure } from '../../api/failure.ts'
import { sessionQuery } from '../../session/session.queries.ts'
import { toast } from '../../ui/toast.ts'
import { runSync, type SyncKind } from './run-sync.ts'
import { problemCount, syncCompleteText, syncFailureText } from './sync-texts.ts'

const RESULT_TOAST_MS = 6_000
const PROBLEM_TOAST_MS = 8_000

/** The progress of the running sync. Only `useSync` writes it. */
function progressQuery(kind: SyncKind) {
  return queryOptions<SyncRun>({ queryKey: ['sync', 'progress', kind], queryFn: skipToken })
}

/**
 * A sync continues when the person leaves the page. A person who comes back still sees the sync button busy. The result
 * appears on the page that is open when the sync ends.
 */
export function useSync(kind: SyncKind) {
  const queryClient = useQueryClient()
  const isRunning = useIsMutating({ mutationKey: ['sync', kind] }) > 0
  const { data: progress } = useQuery(progressQuery(kind))
  const { mutate } = useMutation({
    mutationKey: ['sync', kind],
    mutationFn: () => runSync(kind, (run) => queryClient.setQueryData(progressQuery(kind).queryKey, run)),
    onSuccess(result) {
      if (problemCount(result) > 0) toast.warning(syncCompleteText(result), PROBLEM_TOAST_MS)
      else toast.success(syncCompleteText(result), RESULT_TOAST_MS)
    },
    onError(error) {
      if (!isSignedOut(error)) toast.error(syncFailureText(error))
      // The notice that explains this refusal appears with the new session data.
      if (Object.values(HOLDS).some(({ text }) => text === error.message))
        void queryClient.invalidateQueries({ queryKey: sessionQuery().queryKey })
    },
    onSettled() {
      queryClient.removeQueries({ queryKey: progressQuery(kind).queryKey })
      return refreshAfterSync(queryClient)
    },
  })
  return { kind, isRunning, progress: isRunning ? progress : undefined, start: () => mutate() }
}

export type Sync = ReturnType<typeof useSync>

/**
 * Makes leads, deals, searches and the dashboard's figures stale. Does not wait for the new data, because that would
 * keep the sync's button busy.
 */
export function refreshAfterSync(queryClient: QueryClient) {
  for (const feature of ['leads', 'deals', 'search', 'dashboard']) {
    void queryClient.invalidateQueries({ queryKey: [feature] })
  }
}

function isSignedOut(error: Error): boolean {
  return error instanceof Failure && error.status === 401
}
