import { endNamedKey, type NamedKey } from '@portal/contract/api-keys.ts'
import { KEY_RIGHT_NAMES } from '@portal/contract/key-rights.ts'
import { API_CALLS_PER_MINUTE, NAMED_KEYS_MAX } from '@portal/contract/limits.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { readToken } from '../../api/token.ts'
import { formatDate, formatDateTime } from '../../format/dates.ts'
import { Alert } from '../../ui/alert.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { LoadFailure } from '../../ui/failure.tsx'
import { useKeptFocus } from '../../ui/keep-focus.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { OneTimeSecret } from '../../ui/secret.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.ts'
import { namedKeysQuery, showNamedKeys } from './api-keys.queries.ts'

/** Most visits of the page make no key. */
const MakeKeyForm = lazy(async () => ({ default: (await import('./make-key-form.tsx')).MakeKeyForm }))

/** The keys that the business gives to its systems, each with a name, rights and an end of its own (D84). */
export function NamedKeysCard() {
  const queryClient = useQueryClient()
  const listRef = useRef<HTMLUListElement>(null)
  const keys = useQuery(namedKeysQuery())
  const [isMaking, setIsMaking] = useState(false)
  const [question, setQuestion] = useState<NamedKey | null>(null)
  // The new key is kept only here and is lost with the page.
  const [made, setMade] = useState<{ name: string; key: string } | null>(null)
  const rows = keys.data?.keys ?? []
  useKeptFocus(listRef, made?.key ?? '')

  const end = useMutation({
    mutationFn: ({ id }: NamedKey) => call(endNamedKey, { params: { id } }),
    onSuccess(left, { name }) {
      showNamedKeys(queryClient, left)
      toast.success(`The key ${name} has ended`)
      // The pressed button disappears, so the list takes focus.
      listRef.current?.focus()
    },
    // Another owner may have ended the key.
    onError: () => void queryClient.invalidateQueries(namedKeysQuery()),
  })

  function handleMade(name: string, key: string) {
    setIsMaking(false)
    setMade({ name, key })
  }

  function handleConfirm() {
    setQuestion(null)
    if (question) end.mutate(question)
  }

  return (
    <>
      {made && (
        <OneTimeSecret
          key={made.key}
          title={`The new key ${made.name}`}
          text="Copy it now and keep it where your system can find it. For your security it is not stored and cannot be shown again."
          label="key"
          value={made.key}
          mayLeave={() => readToken() === null}
          onDone={() => setMade(null)}
        />
      )}
      <Card
        title="Keys for your systems"
        description="Give each system a key of its own. To replace a key, make the new one first and then end the old one."
        action={
          rows.length > 0 && (
            <Badge>
              {rows.length} of {NAMED_KEYS_MAX}
            </Badge>
          )
        }
      >
        <div className="grid grid-cols-1 gap-4">
          {keys.isPending && <Spinner label="Loading the keys" />}
          {keys.isError && !keys.data && <LoadFailure text="Failed to load the keys" query={keys} />}
          {end.isError && <Alert kind="error">{failureText(end.error)}</Alert>}
          {keys.data && (
            <>
              <div>
                {rows.length === 0 && (
                  <p className="text-muted">
                    No key has a name yet. One that may read lets a CRM, a dashboard or an assistant follow your
                    referrals.
                  </p>
                )}
                <ul ref={listRef} tabIndex={-1} aria-label="Keys for your systems" className="divide-y divide-line">
                  {rows.map((key) => (
                    <KeyRow
                      key={key.id}
                      apiKey={key}
                      isBusy={end.isPending && end.variables.id === key.id}
                      onEnd={() => setQuestion(key)}
                    />
                  ))}
                </ul>
              </div>
              <div>
                <Button
                  variant="secondary"
                  icon={<KeyRound aria-hidden />}
                  disabled={rows.length >= NAMED_KEYS_MAX}
                  onClick={() => setIsMaking(true)}
                >
                  Make a Key
                </Button>
              </div>
            </>
          )}
        </div>
      </Card>
      <Dialog
        open={isMaking}
        onClose={() => setIsMaking(false)}
        title="Make a Key"
        description={`The key is shown once. All keys together may make ${API_CALLS_PER_MINUTE} calls a minute.`}
      >
        <Suspense fallback={<Spinner label="Loading the form" />}>
          <MakeKeyForm onMade={handleMade} onCancel={() => setIsMaking(false)} />
        </Suspense>
      </Dialog>
      <ConfirmDialog
        open={question !== null}
        title={`End the key ${question?.name ?? ''}`}
        text="It stops working at once, and the systems that use it are refused. What they submitted stays."
        confirmLabel="End the key"
        danger
        onConfirm={handleConfirm}
        onClose={() => setQuestion(null)}
      />
    </>
  )
}

interface KeyRowProps {
  apiKey: NamedKey
  isBusy: boolean
  onEnd: () => void
}

function KeyRow({ apiKey: { name, rights, preview, created_at, made_by, last_used_at }, isBusy, onEnd }: KeyRowProps) {
  return (
    <li className="flex items-center gap-x-4 py-3">
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-medium break-words">{name}</span>
          {rights.map((right) => (
            <Badge key={right}>{KEY_RIGHT_NAMES[right]}</Badge>
          ))}
        </p>
        <p className="text-[0.8125rem] break-words text-muted">
          <span className="font-mono text-xs">{preview}</span> · made{' '}
          <time dateTime={created_at} title={formatDateTime(created_at)}>
            {formatDate(created_at)}
          </time>
          {made_by && ` by ${made_by}`} ·{' '}
          {last_used_at ? (
            <time dateTime={last_used_at} title={formatDateTime(last_used_at)}>
              used <RelativeTime at={last_used_at} isInSentence />
            </time>
          ) : (
            'never used'
          )}
        </p>
      </div>
      <Button variant="secondary" size="small" aria-label={`End the key ${name}`} busy={isBusy} onClick={onEnd}>
        End
      </Button>
    </li>
  )
}
