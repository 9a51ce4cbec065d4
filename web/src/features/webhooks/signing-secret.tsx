import { LOST_SECRET_PREVIEW, rotateWebhookSecret, type WebhookEndpoint } from '@portal/contract/webhooks.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.ts'
import { showEndpoint } from './webhooks.queries.ts'

const OVERLAP =
  'For 24 hours, deliveries are also signed with the old one, so that your server can change over without missing any.'
const NO_OVERLAP = 'We can no longer read the old one, so deliveries are signed with the new one only.'

interface SigningSecretProps {
  endpoint: WebhookEndpoint
  /** Receives the new secret, which cannot be read a second time. */
  onRotated: (secret: string) => void
}

export function SigningSecret({ endpoint, onRotated }: SigningSecretProps) {
  const { secret_preview: preview, previous_secret_until: oldUntil } = endpoint
  const queryClient = useQueryClient()
  const [isAsking, setIsAsking] = useState(false)
  const rotate = useMutation({
    mutationFn: () => call(rotateWebhookSecret),
    // The answer contains the secret, so it is not cached.
    gcTime: 0,
    onSuccess({ secret, ...saved }) {
      showEndpoint(queryClient, saved)
      onRotated(secret)
      toast.success('Signing secret rotated')
    },
    onError: toast.failure,
  })
  if (!preview) return null

  function handleConfirm() {
    // The dialog closes before the new secret takes focus. A dialog that closed later would take focus back.
    setIsAsking(false)
    rotate.mutate()
  }

  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-t border-line pt-5">
      <div className="min-w-0">
        <h3 className="text-[0.8125rem] text-muted">Signing secret</h3>
        <p className="mt-0.5 font-mono text-[0.8125rem]">{preview}</p>
        {isAhead(oldUntil) && (
          <p className="mt-1 text-[0.8125rem] text-muted">
            Deliveries are also signed with the old secret until {formatDateTime(oldUntil)}.
          </p>
        )}
      </div>
      <Button
        variant="secondary"
        icon={<RefreshCw aria-hidden />}
        busy={rotate.isPending}
        onClick={() => setIsAsking(true)}
      >
        Rotate secret
      </Button>
      <ConfirmDialog
        open={isAsking}
        title="Rotate Signing Secret"
        text={`A new secret is made and shown once. ${preview === LOST_SECRET_PREVIEW ? NO_OVERLAP : OVERLAP}`}
        confirmLabel="Rotate secret"
        onConfirm={handleConfirm}
        onClose={() => setIsAsking(false)}
      />
    </div>
  )
}

function isAhead(instant: string | null): boolean {
  return instant !== null && Date.parse(instant) > Date.now()
}
