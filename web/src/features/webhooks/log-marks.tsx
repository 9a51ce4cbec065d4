import type { WebhookLogStatus } from '@portal/contract/webhooks.ts'
import { CircleCheck, CircleMinus, CircleX } from 'lucide-react'
import { Badge, type BadgeVariant } from '../../ui/badge.tsx'

/** The colours of section 4. An unknown status is grey. */
const STATUS_COLOURS: Record<WebhookLogStatus, BadgeVariant> = {
  success: 'success',
  failed: 'error',
  error: 'error',
  pending: 'warning',
}

export const STATUS_LABELS: Record<WebhookLogStatus, string> = {
  success: 'Success',
  failed: 'Failed',
  error: 'Error',
  pending: 'Pending',
}

export function LogStatus({ status }: { status: WebhookLogStatus }) {
  return (
    <Badge variant={STATUS_COLOURS[status] ?? 'secondary'} dot>
      {STATUS_LABELS[status] ?? status}
    </Badge>
  )
}

const RESPONSES = {
  success: { Icon: CircleCheck, className: 'text-success-ink' },
  error: { Icon: CircleX, className: 'text-error-ink' },
  secondary: { Icon: CircleMinus, className: 'text-muted' },
}

/** The HTTP status of the answer: its number, an icon and a colour. */
export function ResponseStatus({ code }: { code: number | null }) {
  if (code === null) return <span className="text-muted">No answer</span>
  const colour = responseColour(code)
  const { Icon, className } = RESPONSES[colour]
  return (
    <span data-variant={colour} className={`inline-flex items-center gap-1.5 font-medium tabular-nums ${className}`}>
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <span>
        <span className="sr-only">HTTP </span>
        {code}
      </span>
    </span>
  )
}

/** Green for 200–299, red for 400 and above, and grey otherwise (section 4). */
export function responseColour(code: number): keyof typeof RESPONSES {
  if (code >= 200 && code <= 299) return 'success'
  return code >= 400 ? 'error' : 'secondary'
}
