import type { WebhookEndpoint } from '@portal/contract/webhooks.ts'
import { changeWebhookUrl } from '@portal/contract/webhooks.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pencil, Plus, Send, Trash2, Webhook } from 'lucide-react'
import { useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { failureDetail } from '../../api/failure.ts'
import { readToken } from '../../api/token.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { useKeptFocus } from '../../ui/keep-focus.ts'
import { OneTimeSecret } from '../../ui/secret.tsx'
import { toast } from '../../ui/toast.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointTrouble } from './endpoint-trouble.tsx'
import { UPDATE_FAILED } from './endpoint-url.ts'
import { SigningSecret } from './signing-secret.tsx'
import { TestEventResult, useTestEvent } from './test-event.tsx'
import { showEndpoint } from './webhooks.queries.ts'

/**
 * The partner's only webhook URL, with buttons to set, change, remove and test it, and the secret that signs
 * deliveries.
 */
export function EndpointPanel({ endpoint }: { endpoint: WebhookEndpoint }) {
  const url = endpoint.webhook_url
  const queryClient = useQueryClient()
  const [isEditing, setIsEditing] = useState(false)
  const [isRemoving, setIsRemoving] = useState(false)
  // The secret is kept only here and is lost with the page. The query cache is for data that can be fetched again.
  const [secret, setSecret] = useState<string | null>(null)
  const editRef = useRef<HTMLButtonElement>(null)
  useKeptFocus(editRef, JSON.stringify([url, isEditing, secret, endpoint.is_active]))
  const test = useTestEvent()

  const save = useMutation({
    mutationFn: (webhookUrl: string | null) => call(changeWebhookUrl, { body: { webhook_url: webhookUrl } }),
    // The answer contains the secret, so it is not cached.
    gcTime: 0,
    onSuccess({ secret: newSecret, ...saved }, webhookUrl) {
      showEndpoint(queryClient, saved)
      setIsEditing(false)
      setIsRemoving(false)
      test.reset()
      if (newSecret || !saved.webhook_url) setSecret(newSecret)
      toast.success(webhookUrl ? 'Webhook URL saved' : 'Webhook URL removed')
    },
    onError(error, webhookUrl) {
      setIsRemoving(false)
      // If the form is open, it shows this error itself.
      if (!isEditing || webhookUrl === null)
        toast.error([UPDATE_FAILED, failureDetail(error)].filter(Boolean).join(': '))
    },
  })

  function handleEdit() {
    save.reset()
    setIsEditing(true)
  }

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <ConfirmDialog
        open={isRemoving}
        title="Remove Webhook URL"
        text="Your server will no longer receive webhooks, and the signing secret is deleted with the URL. The log stays."
        confirmLabel="Remove"
        danger
        busy={save.isPending}
        onConfirm={() => save.mutate(null)}
        onClose={() => setIsRemoving(false)}
      />
      {secret && (
        <OneTimeSecret
          key={secret}
          title="Your signing secret"
          text="Copy it now and keep it where your server can find it. It cannot be read again; if you lose it, rotate it."
          label="signing secret"
          value={secret}
          mayLeave={() => readToken() === null}
          onDone={() => setSecret(null)}
        />
      )}
      <Card title="URL Configuration" action={url && !isEditing && <EndpointTag isActive={endpoint.is_active} />}>
        <div className="grid gap-5">
          {isEditing ? (
            <EndpointForm
              url={url}
              busy={save.isPending}
              error={save.error}
              onSave={save.mutate}
              onCancel={() => setIsEditing(false)}
            />
          ) : (
            <>
              {url ? (
                <code className="font-mono text-[0.8125rem] break-all">{url}</code>
              ) : (
                <div className="flex items-start gap-3 text-muted">
                  <Webhook aria-hidden className="mt-0.5 size-4 shrink-0" />
                  <p>No URL yet. Add your server’s URL, and we will send each change to it within seconds.</p>
                </div>
              )}
              {url && <EndpointTrouble endpoint={endpoint} busy={save.isPending} onEnable={() => save.mutate(url)} />}
              <div className="flex flex-wrap gap-2">
                <Button
                  ref={editRef}
                  variant={url ? 'secondary' : 'primary'}
                  icon={url ? <Pencil aria-hidden /> : <Plus aria-hidden />}
                  onClick={handleEdit}
                >
                  {url ? 'Edit URL' : 'Add URL'}
                </Button>
                {url && (
                  <Button variant="secondary" icon={<Trash2 aria-hidden />} onClick={() => setIsRemoving(true)}>
                    Remove
                  </Button>
                )}
                {url && endpoint.is_active && (
                  <Button
                    variant="secondary"
                    className="sm:ml-auto"
                    icon={<Send aria-hidden />}
                    busy={test.isPending}
                    onClick={() => test.mutate()}
                  >
                    Send test event
                  </Button>
                )}
              </div>
              {test.data && <TestEventResult key={test.data.id} id={test.data.id} />}
              <SigningSecret endpoint={endpoint} onRotated={setSecret} />
            </>
          )}
        </div>
      </Card>
    </div>
  )
}

function EndpointTag({ isActive }: { isActive: boolean }) {
  return (
    <Badge variant={isActive ? 'success' : 'error'} dot>
      {isActive ? 'Active' : 'Disabled'}
    </Badge>
  )
}
