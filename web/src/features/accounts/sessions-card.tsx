import { endOtherSessions, endSession, listSessions, type Session } from '@portal/contract/sessions.ts'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { call } from '../../api/call.ts'
import { failureDetail, failureText } from '../../api/failure.ts'
import { LIST_FRESHNESS } from '../../api/query-client.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Alert } from '../../ui/alert.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Failure } from '../../ui/failure.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RestingRows } from '../../ui/resting-rows.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.ts'

function sessionsQuery() {
  return queryOptions({
    queryKey: ['accounts', 'sessions'],
    queryFn: ({ signal }) => call(listSessions, { signal }),
    ...LIST_FRESHNESS,
  })
}

/** The person's sessions. Each session except this browser's can be ended here (D65). */
export function SessionsCard() {
  const queryClient = useQueryClient()
  const listRef = useRef<HTMLUListElement>(null)
  const sessions = useQuery(sessionsQuery())
  const ending = useMutation({
    mutationFn: (session: Session | 'others') =>
      session === 'others' ? call(endOtherSessions) : call(endSession, { params: { id: session.id } }),
    onSuccess(_, session) {
      toast.success(session === 'others' ? 'All other sessions ended' : 'Session ended')
      // The pressed button disappears, so the list takes focus.
      listRef.current?.focus()
    },
    // A session that had already ended must also leave the list.
    onSettled: () => queryClient.invalidateQueries(sessionsQuery()),
  })
  const shown = sessions.data?.sessions ?? []

  return (
    <Card
      title="Sessions"
      description="Where you are signed in."
      action={
        shown.length > 1 && (
          <Button
            variant="secondary"
            size="small"
            busy={ending.isPending && ending.variables === 'others'}
            onClick={() => ending.mutate('others')}
          >
            Sign out all others
          </Button>
        )
      }
    >
      {sessions.isPending && <Spinner label="Loading sessions" />}
      {sessions.isError && !sessions.data && (
        <Failure
          text="Failed to load your sessions"
          detail={failureDetail(sessions.error)}
          onRetry={() => void sessions.refetch()}
        />
      )}
      {ending.isError && (
        <Alert kind="error" className="mb-4">
          {failureText(ending.error)}
        </Alert>
      )}
      {sessions.data && (
        <RestingRows
          ref={listRef}
          label="Sessions"
          className="-my-4 divide-y divide-line"
          rows={shown}
          isAsking={ending.isPending}
        >
          {(session) => (
            <li key={session.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-4">
              <div className="min-w-0">
                <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
                  {session.browser ?? 'Unknown browser'}
                  {session.is_this_one && <Badge variant="success">This one</Badge>}
                </p>
                <p className="text-[0.8125rem] text-muted">
                  {session.ip && <span className="break-all">{session.ip} · </span>}
                  Signed in {formatDateTime(session.first_seen_at)} · Last seen:{' '}
                  <RelativeTime at={session.last_seen_at} />
                </p>
              </div>
              {!session.is_this_one && (
                <Button
                  variant="secondary"
                  size="small"
                  aria-label={`Sign out ${session.browser ?? 'unknown browser'}`}
                  busy={ending.isPending && ending.variables === session}
                  onClick={() => ending.mutate(session)}
                >
                  Sign out
                </Button>
              )}
            </li>
          )}
        </RestingRows>
      )}
    </Card>
  )
}
