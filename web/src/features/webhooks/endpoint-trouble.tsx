import type { WebhookEndpoint } from '@portal/contract/webhooks.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

const REASONS = {
  gone: 'Your server answered 410 Gone, which means that we should stop.',
  failing: 'Every delivery failed for five days.',
}

interface EndpointTroubleProps {
  endpoint: WebhookEndpoint
  busy: boolean
  onEnable: () => void
}

/** Says that the portal has disabled the URL or may soon disable it (D35). Shows nothing while deliveries arrive. */
export function EndpointTrouble({ endpoint, busy, onEnable }: EndpointTroubleProps) {
  const {
    is_active: isActive,
    disabled_at: disabledAt,
    disabled_reason: reason,
    failing_since: failingSince,
  } = endpoint
  if (!isActive) {
    return (
      <Alert kind="error">
        <p className="font-medium">
          {disabledAt ? `We disabled this URL on ${formatDateTime(disabledAt)}` : 'This URL is disabled'}
        </p>
        <p>{reason && REASONS[reason]} Nothing is sent to it until you enable it again.</p>
        <Button variant="secondary" size="small" className="mt-3 mb-1" busy={busy} onClick={onEnable}>
          Enable again
        </Button>
      </Alert>
    )
  }
  if (!failingSince) return null
  return (
    <Alert kind="warning">
      <p className="font-medium">
        Every delivery has failed since {formatDateTime(failingSince)} (<RelativeTime at={failingSince} />)
      </p>
      <p>The log below shows why. We keep trying; if every attempt fails for five days, we disable the URL.</p>
    </Alert>
  )
}
