import type { WebhookLog } from '@portal/contract/webhooks.ts'
import { useQuery } from '@tanstack/react-query'
import { formatDuration, formatExactTime } from '../../format/dates.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { ResponseStatus } from './log-marks.tsx'
import { webhookAttemptsQuery } from './webhooks.queries.ts'

/** Every attempt of a delivery, from first to last. The attempts are fetched when the person opens the row. */
export function WebhookAttempts({ log }: { log: WebhookLog }) {
  const { data, isPending, refetch } = useQuery(webhookAttemptsQuery(log))
  if (isPending) return <Spinner label="Loading attempts" className="justify-start p-0" />
  return (
    <section aria-label="Attempts">
      <h3 className="text-[0.8125rem] text-muted">Attempts</h3>
      {!data && (
        <p className="mt-1 flex flex-wrap items-center gap-3">
          The attempts could not be loaded.
          <Button variant="secondary" size="small" onClick={() => void refetch()}>
            Try Again
          </Button>
        </p>
      )}
      {data?.attempt_list.length === 0 && <p className="mt-1">None yet.</p>}
      {data && data.attempt_list.length > 0 && (
        <ol className="mt-2 divide-y divide-line rounded-lg border border-line bg-surface">
          {data.attempt_list.map((attempt) => (
            <li
              key={attempt.number}
              className="grid grid-cols-[1.5rem_minmax(0,1fr)_auto] items-baseline gap-x-3 gap-y-1 px-3.5 py-2 sm:grid-cols-[1.5rem_12rem_6rem_minmax(0,1fr)_auto]"
            >
              <span className="text-muted tabular-nums">
                <span className="sr-only">Attempt </span>
                {attempt.number}
              </span>
              <time dateTime={attempt.started_at} className="tabular-nums">
                {formatExactTime(attempt.started_at)}
              </time>
              <span className="max-sm:col-start-2 max-sm:row-start-2">
                <ResponseStatus code={attempt.response_status} />
              </span>
              <span className="min-w-0 text-[0.8125rem] break-words text-muted max-sm:col-span-2 max-sm:col-start-2 max-sm:row-start-3 max-sm:empty:hidden">
                {attempt.error_message}
              </span>
              <span className="text-right text-[0.8125rem] text-muted tabular-nums max-sm:col-start-3 max-sm:row-start-1">
                {formatDuration(attempt.duration_ms)}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
