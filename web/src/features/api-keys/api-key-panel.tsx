import { type ApiKeyStatus, generateApiKey, revokeApiKey } from '@portal/contract/api-keys.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { KeyRound, RefreshCw, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { failureDetail } from '../../api/failure.ts'
import { readToken } from '../../api/token.ts'
import { formatDateTime } from '../../format/dates.ts'
import { FailureAlert } from '../../ui/alert.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { useKeptFocus } from '../../ui/keep-focus.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { OneTimeSecret } from '../../ui/secret.tsx'
import { toast } from '../../ui/toast.ts'
import { showApiKeyStatus } from './api-keys.queries.ts'
import { apiKeyFailureText } from './failure-text.ts'

const QUESTIONS = [
  {
    asks: 'regenerate',
    title: 'Regenerate API Key',
    text: 'The old key stops working at once, and every system that uses it is refused until it has the new one.',
    confirmLabel: 'Regenerate',
  },
  {
    asks: 'revoke',
    title: 'Revoke API Key',
    text: 'The key stops working at once, and every system that uses it is refused. Leads submitted with it stay.',
    confirmLabel: 'Revoke',
  },
] as const
type Question = (typeof QUESTIONS)[number]['asks']

/** Shows whether the partner has a key, and the buttons to generate, regenerate and revoke it. */
export function ApiKeyPanel({ status }: { status: ApiKeyStatus }) {
  const queryClient = useQueryClient()
  const [question, setQuestion] = useState<Question | null>(null)
  // The new key is kept only here and is lost with the page. The query cache is for data that can be fetched again.
  const [newKey, setNewKey] = useState<string | null>(null)
  const generateRef = useRef<HTMLButtonElement>(null)
  useKeptFocus(generateRef, JSON.stringify([status.has_api_key, newKey]))

  const generate = useMutation({
    mutationFn: () => call(generateApiKey),
    // The answer contains the key, so it is not cached.
    gcTime: 0,
    onSuccess({ api_key: key, ...made }) {
      showApiKeyStatus(queryClient, made)
      setNewKey(key)
    },
  })
  const revoke = useMutation({
    mutationFn: () => call(revokeApiKey),
    onSuccess(none) {
      showApiKeyStatus(queryClient, none)
      setNewKey(null)
      toast.success('API key revoked')
    },
  })

  function handleGenerate() {
    revoke.reset()
    generate.mutate()
  }

  // The dialog closes before the answer arrives, so that a new key can take focus and keep it.
  function handleConfirm() {
    setQuestion(null)
    if (question === 'regenerate') {
      handleGenerate()
    } else {
      generate.reset()
      revoke.mutate()
    }
  }

  return (
    <>
      {newKey && (
        <OneTimeSecret
          key={newKey}
          title="Your new API key"
          text="Copy it now and keep it where your system can find it. For your security it is not stored and cannot be shown again."
          label="API key"
          value={newKey}
          mayLeave={() => readToken() === null}
          onDone={() => setNewKey(null)}
        />
      )}
      <Card
        title="API key"
        action={
          <Badge variant={status.has_api_key ? 'success' : 'secondary'} dot>
            {status.has_api_key ? 'Active' : 'None'}
          </Badge>
        }
      >
        <div className="grid gap-5">
          {generate.isError && (
            <FailureAlert text={apiKeyFailureText('generate', generate.error)} detail={failureDetail(generate.error)} />
          )}
          {revoke.isError && (
            <FailureAlert text={apiKeyFailureText('revoke', revoke.error)} detail={failureDetail(revoke.error)} />
          )}
          {status.has_api_key ? (
            <KeyDescription status={status} />
          ) : (
            <p className="text-muted">
              This key has not been generated. With it, your website or CRM submits leads by itself.
            </p>
          )}
          <div className="flex flex-wrap gap-2">
            <Button
              ref={generateRef}
              variant={status.has_api_key ? 'secondary' : 'primary'}
              icon={status.has_api_key ? <RefreshCw aria-hidden /> : <KeyRound aria-hidden />}
              busy={generate.isPending}
              onClick={() => (status.has_api_key ? setQuestion('regenerate') : handleGenerate())}
            >
              {status.has_api_key ? 'Regenerate API Key' : 'Generate API Key'}
            </Button>
            {status.has_api_key && (
              <Button
                variant="secondary"
                icon={<Trash2 aria-hidden />}
                busy={revoke.isPending}
                onClick={() => setQuestion('revoke')}
              >
                Revoke
              </Button>
            )}
          </div>
          <p className="border-t border-line pt-4 text-[0.8125rem] text-muted">
            API keys are permanent and do not expire. Generating a new one replaces the old one.
          </p>
        </div>
      </Card>
      {QUESTIONS.map(({ asks, ...dialog }) => (
        <ConfirmDialog
          key={asks}
          {...dialog}
          open={question === asks}
          danger
          onConfirm={handleConfirm}
          onClose={() => setQuestion(null)}
        />
      ))}
    </>
  )
}

function KeyDescription({ status }: { status: ApiKeyStatus }) {
  return (
    <DescriptionList
      items={[
        { term: 'Key', value: <span className="font-mono text-[0.8125rem]">{status.api_key_preview}</span> },
        { term: 'Business', value: status.business_name },
        { term: 'Last generated', value: formatDateTime(status.last_generated) },
        {
          term: 'Last used',
          value: status.last_used ? (
            <time dateTime={status.last_used} title={formatDateTime(status.last_used)}>
              <RelativeTime at={status.last_used} />
            </time>
          ) : (
            'Never'
          ),
        },
      ]}
    />
  )
}
