import { removePasskey, removeTotp, renewRecoveryCodes, type SecondFactor } from '@portal/contract/second-factor.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { type ReactNode, useId, useRef, useState } from 'react'
import { call } from '../../../api/call.ts'
import { failureText } from '../../../api/failure.ts'
import { formatDate } from '../../../format/dates.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { LoadFailure } from '../../../ui/failure.tsx'
import { useKeptFocus } from '../../../ui/keep-focus.ts'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { toast } from '../../../ui/toast.ts'
import { AddPasskey } from './add-passkey.tsx'
import { hasPasskeys } from './device-passkeys.ts'
import { RecoveryCodes } from './recovery-codes.tsx'
import { hasFactor, secondFactorQuery, showSecondFactor } from './second-factor.queries.ts'
import { TotpSetUp } from './totp-set-up.tsx'

type Removal = { what: 'app' } | { what: 'passkey'; id: string; name: string } | { what: 'codes' }

const NO_FACTOR: SecondFactor = { totp: null, passkeys: [], recovery_codes_left: 0, is_required: false }

interface SecondFactorCardProps {
  /** The owner's settings for everybody, shown below the factors. */
  children?: ReactNode
  /** Called when the card begins or stops showing recovery codes that the person has not saved yet. */
  onCodes?: (isShown: boolean) => void
}

/** The authenticator app, passkeys and recovery codes of the person, each with its buttons. */
export function SecondFactorCard({ children, onCodes }: SecondFactorCardProps) {
  const queryClient = useQueryClient()
  const factor = useQuery(secondFactorQuery())
  const [adding, setAdding] = useState<'app' | 'passkey' | null>(null)
  const [removal, setRemoval] = useState<Removal | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const ref = useRef<HTMLDivElement>(null)
  useKeptFocus(ref, `${adding} ${removal?.what} ${codes === null}`)

  function showCodes(shown: string[] | null) {
    setCodes(shown)
    onCodes?.(shown !== null)
  }

  function refresh() {
    void queryClient.invalidateQueries(secondFactorQuery())
  }

  function handleAdded(recoveryCodes: string[] | null) {
    toast.success(adding === 'app' ? 'Authenticator app added' : 'Passkey added')
    setAdding(null)
    showCodes(recoveryCodes)
    refresh()
  }

  function handleCancel() {
    setAdding(null)
    // The server may have added the factor even if its answer was lost.
    refresh()
  }

  const change = useMutation({
    mutationFn: async (chosen: Removal): Promise<SecondFactor | string[]> => {
      if (chosen.what === 'app') return call(removeTotp)
      if (chosen.what === 'passkey') return call(removePasskey, { params: { id: chosen.id } })
      return (await call(renewRecoveryCodes)).recovery_codes
    },
    onSuccess(answer) {
      if (Array.isArray(answer)) {
        showCodes(answer)
        refresh()
      } else {
        showSecondFactor(queryClient, answer)
        toast.success('Removed')
      }
    },
    // The server may have made the change even if its answer was lost.
    onError: refresh,
    onSettled: () => setRemoval(null),
  })

  // Until the answer is there, the card is as high as for a person without a factor, so that it moves nothing.
  const shown = factor.data ?? (factor.isPending ? NO_FACTOR : undefined)
  const frame = { ref, tabIndex: -1, className: 'rounded-xl' }
  if (codes) {
    return (
      <div {...frame}>
        <RecoveryCodes codes={codes} onDone={() => showCodes(null)} />
      </div>
    )
  }
  return (
    <div {...frame}>
      <Card
        title="Second factor"
        description="You need it as well as your password, so a stolen password alone is useless."
      >
        {factor.isError && !factor.data && <LoadFailure text="Failed to load the second factor" query={factor} />}
        {shown && (
          <div className="relative">
            {factor.isPending && <Spinner label="Loading second factor" className="absolute inset-0" />}
            <div
              aria-hidden={factor.isPending || undefined}
              className={clsx('grid grid-cols-[minmax(0,1fr)] gap-5', factor.isPending && 'invisible')}
            >
              {change.isError && <Alert kind="error">{failureText(change.error)}</Alert>}
              <App
                factor={shown}
                isAdding={adding === 'app'}
                onAdd={() => setAdding('app')}
                onAdded={handleAdded}
                onCancel={handleCancel}
                onRemove={() => setRemoval({ what: 'app' })}
              />
              <Passkeys
                factor={shown}
                isAdding={adding === 'passkey'}
                onAdd={() => setAdding('passkey')}
                onAdded={handleAdded}
                onCancel={handleCancel}
                onRemove={(id, name) => setRemoval({ what: 'passkey', id, name })}
              />
              {hasFactor(shown) && (
                <RecoveryCodesLeft left={shown.recovery_codes_left} onRenew={() => setRemoval({ what: 'codes' })} />
              )}
              {children}
            </div>
          </div>
        )}
        <ConfirmDialog
          open={removal !== null}
          {...wordsOf(removal, factor.data)}
          danger={removal?.what !== 'codes'}
          busy={change.isPending}
          onConfirm={() => removal && change.mutate(removal)}
          onClose={() => setRemoval(null)}
        />
      </Card>
    </div>
  )
}

/** Whether the person's last factor must stay, because the business requires one. */
function isNeeded(factor: SecondFactor): boolean {
  return factor.is_required && Number(factor.totp !== null) + factor.passkeys.length === 1
}

interface FactorProps {
  factor: SecondFactor
  isAdding: boolean
  onAdd: () => void
  onAdded: (recoveryCodes: string[] | null) => void
  onCancel: () => void
}

function App({ factor, isAdding, onAdd, onAdded, onCancel, onRemove }: FactorProps & { onRemove: () => void }) {
  const { totp } = factor
  return (
    <Part
      title="Authenticator app"
      badge={totp && <Badge variant="success">On</Badge>}
      text={totp ? `Added ${formatDate(totp.added_at)}` : 'An app on your phone shows a new code every 30 seconds.'}
      action={
        totp
          ? !isNeeded(factor) && (
              <Button variant="secondary" size="small" aria-label="Remove authenticator app" onClick={onRemove}>
                Remove
              </Button>
            )
          : !isAdding && (
              <Button variant="secondary" size="small" aria-label="Set up authenticator app" onClick={onAdd}>
                Set up
              </Button>
            )
      }
    >
      {isAdding && <TotpSetUp onDone={onAdded} onCancel={onCancel} />}
    </Part>
  )
}

interface PasskeysProps extends FactorProps {
  onRemove: (id: string, name: string) => void
}

function Passkeys({ factor, isAdding, onAdd, onAdded, onCancel, onRemove }: PasskeysProps) {
  const { passkeys } = factor
  return (
    <Part
      title="Passkeys"
      badge={passkeys.length > 0 && <Badge variant="success">On</Badge>}
      text={
        hasPasskeys()
          ? 'Your finger, face or device PIN. A passkey can also replace the password.'
          : 'This browser does not support passkeys.'
      }
      action={
        !isAdding &&
        hasPasskeys() && (
          <Button variant="secondary" size="small" onClick={onAdd}>
            Add a passkey
          </Button>
        )
      }
    >
      {passkeys.length > 0 && (
        <ul aria-label="Your passkeys" className="divide-y divide-line rounded-lg border border-line">
          {passkeys.map(({ id, name, created_at, last_used_at }) => (
            <li key={id} className="flex items-center justify-between gap-4 px-4 py-2.5">
              <div className="min-w-0">
                <p className="font-medium break-words">{name}</p>
                <p className="text-[0.8125rem] text-muted">
                  Added {formatDate(created_at)}
                  {' · '}
                  {last_used_at ? (
                    <>
                      Last used: <RelativeTime at={last_used_at} />
                    </>
                  ) : (
                    'Not used yet'
                  )}
                </p>
              </div>
              {!isNeeded(factor) && (
                <Button variant="ghost" size="small" aria-label={`Remove ${name}`} onClick={() => onRemove(id, name)}>
                  Remove
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isAdding && <AddPasskey onDone={onAdded} onCancel={onCancel} />}
    </Part>
  )
}

function RecoveryCodesLeft({ left, onRenew }: { left: number; onRenew: () => void }) {
  return (
    <Part
      title="Recovery codes"
      text={`${left} of 10 left. Each signs you in once without your device.`}
      action={
        <Button variant="secondary" size="small" onClick={onRenew}>
          Make new codes
        </Button>
      }
    />
  )
}

interface PartProps {
  title: string
  text: string
  badge?: ReactNode
  action?: ReactNode
  children?: ReactNode
}

function Part({ title, text, badge, action, children }: PartProps) {
  const titleId = useId()
  return (
    <section
      aria-labelledby={titleId}
      className="grid grid-cols-[minmax(0,1fr)] gap-4 not-first:border-t not-first:border-line not-first:pt-5"
    >
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <div className="flex items-center gap-2">
            <h3 id={titleId} className="font-medium">
              {title}
            </h3>
            {badge}
          </div>
          <p className="text-muted">{text}</p>
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}

function wordsOf(removal: Removal | null, factor: SecondFactor | undefined) {
  if (removal?.what === 'codes') {
    return { title: 'Make new recovery codes', text: 'The old codes stop working at once.', confirmLabel: 'Make codes' }
  }
  const isLast = factor !== undefined && Number(factor.totp !== null) + factor.passkeys.length === 1
  const left = isLast
    ? 'You will then sign in with your password alone. Your recovery codes stop working.'
    : 'Your other second factors stay.'
  const what = removal?.what === 'passkey' ? `the passkey ${removal.name}` : 'the authenticator app'
  return {
    title: removal?.what === 'passkey' ? 'Remove passkey' : 'Remove authenticator app',
    text: `Remove ${what}? ${left} Your other sessions end.`,
    confirmLabel: 'Remove',
  }
}
