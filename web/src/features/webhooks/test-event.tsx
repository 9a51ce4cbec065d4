import { sendTestEvent } from '@portal/contract/webhooks.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call } from '../../api/call.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Alert } from '../../ui/alert.tsx'
import { toast } from '../../ui/toast.ts'
import { isAttempted, refreshAfterDelivery, SEND_KEY, testEventQuery } from './webhooks.queries.ts'

export function useTestEvent() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationKey: SEND_KEY,
    mutationFn: () => call(sendTestEvent),
    onSuccess() {
      toast.success('Test event sent')
      refreshAfterDelivery(queryClient)
    },
    onError: toast.failure,
  })
}

/** Shows how the partner's server answered a test event, as soon as the answer is known. */
export function TestEventResult({ id }: { id: string }) {
  const queryClient = useQueryClient()
  const { data, isError } = useQuery(testEventQuery(id))
  const isDone = data !== undefined && isAttempted(data)
  useEffect(() => {
    if (isDone) refreshAfterDelivery(queryClient)
  }, [isDone, queryClient])

  if (!isDone) {
    return (
      <Alert kind="info">
        {isError
          ? 'The test event is on its way. The log below will show the result.'
          : 'Test event on its way. Waiting for your server’s answer…'}
      </Alert>
    )
  }
  if (data.status === 'success') {
    return <Alert kind="success">Your server received the test event and answered {data.response_status}.</Alert>
  }
  return (
    <Alert kind="error">
      <p className="font-medium">
        {data.response_status === null
          ? 'The test event could not be delivered'
          : 'Your server did not accept the test event'}
      </p>
      {data.error_message && <p>{data.error_message}</p>}
      {data.next_attempt_at && <p>It will be sent again at {formatDateTime(data.next_attempt_at)}.</p>}
    </Alert>
  )
}
