import { redeliver, type WebhookLog } from '@portal/contract/webhooks.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { call } from '../../api/call.ts'
import { formatExactTime } from '../../format/dates.ts'
import { prettyJson } from '../../format/json.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { type Description, DescriptionList } from '../../ui/description-list.tsx'
import { toast } from '../../ui/toast.ts'
import { logAsCurl } from './log-request.ts'
import { WebhookAttempts } from './webhook-attempts.tsx'
import { refreshAfterDelivery, SEND_KEY } from './webhooks.queries.ts'

/** An expanded row of the log: the request, the answer, and buttons to copy the request or send the delivery again. */
export function WebhookLogDetails({ log }: { log: WebhookLog }) {
  const isDelivery = log.direction === 'outbound'
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5 border-t border-line bg-canvas px-4 py-5 lg:pr-5 lg:pl-13">
      {log.error_message && (
        <Alert kind={log.status === 'success' ? 'info' : log.status === 'pending' ? 'warning' : 'error'}>
          {log.error_message}
        </Alert>
      )}
      <DescriptionList items={descriptions(log)} className="@4xl:grid-cols-4" />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 xl:grid-cols-2">
        <Body title="Request body" text={log.request_body} />
        <Body title="Response body" text={log.response_body} />
      </div>
      {isDelivery && <WebhookAttempts log={log} />}
      <div className="flex flex-wrap gap-2">
        {isDelivery && <RedeliverButton log={log} />}
        <CopyButton text={logAsCurl(log, window.location.origin)} label="Copy as cURL" />
      </div>
    </div>
  )
}

function descriptions(log: WebhookLog): Description[] {
  const isDelivery = log.direction === 'outbound'
  return [
    { term: 'Endpoint', value: <span className="font-mono text-xs break-all">{log.endpoint}</span>, wide: true },
    { term: 'Direction', value: isDelivery ? 'Delivery to you' : 'Call to us' },
    { term: isDelivery ? 'Recorded' : 'Received', value: formatExactTime(log.created_at) },
    ...(log.api_key ? [{ term: 'Called by', value: log.api_key }] : []),
    ...(log.next_attempt_at ? [{ term: 'Next attempt', value: formatExactTime(log.next_attempt_at) }] : []),
  ]
}

function Body({ title, text }: { title: string; text: string | null }) {
  if (!text) {
    return (
      <p className="self-start rounded-lg border border-dashed border-line-strong px-4 py-3 text-muted">
        {title}: none recorded
      </p>
    )
  }
  return <CodeBlock title={title} code={prettyJson(text)} language="json" wrap className="self-start" />
}

/**
 * Sends the delivery again. A pending delivery waits for its next attempt, and the button makes this attempt at once.
 */
function RedeliverButton({ log }: { log: WebhookLog }) {
  const queryClient = useQueryClient()
  const isPending = log.status === 'pending'
  const send = useMutation({
    mutationKey: SEND_KEY,
    mutationFn: () => call(redeliver, { params: { id: log.id } }),
    onSuccess: () => toast.success('The delivery is being sent again'),
    onError: toast.failure,
    onSettled: () => refreshAfterDelivery(queryClient),
  })
  return (
    <Button
      variant="secondary"
      size="small"
      icon={<RotateCw aria-hidden />}
      busy={send.isPending}
      onClick={() => send.mutate()}
    >
      {isPending ? 'Send now' : 'Redeliver'}
    </Button>
  )
}
