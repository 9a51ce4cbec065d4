import type { Confirmation } from '@portal/contract/second-factor.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Fingerprint } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { Failure, failureText } from '../../../api/failure.ts'
import { sessionQuery } from '../../../session/session.queries.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { PasswordField, TextField } from '../../../ui/field.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { hasPasskeys, takePasskey } from './device-passkeys.ts'
import { confirm, hasFactor, secondFactorQuery } from './second-factor.queries.ts'

/** Asks who is there before a sensitive action. */
export function ConfirmDialog({ onAnswer }: { onAnswer: (isConfirmed: boolean) => void }) {
  return (
    <ProofDialog
      title="Confirm that it is you"
      description="You will not be asked again for 15 minutes."
      confirmLabel="Confirm"
      send={confirm}
      onDone={() => onAnswer(true)}
      onCancel={() => onAnswer(false)}
    />
  )
}

interface ProofDialogProps {
  title: string
  description: string
  confirmLabel: string
  send: (confirmation: Confirmation) => Promise<unknown>
  onDone: () => void
  onCancel: () => void
}

/** Asks for the person's second factor, or for the password of a person without one (D130). */
export function ProofDialog({ title, description, confirmLabel, send, onDone, onCancel }: ProofDialogProps) {
  const [typed, setTyped] = useState('')
  const { data: factor, isPending } = useQuery(secondFactorQuery())
  const { data: session } = useQuery({ ...sessionQuery(), enabled: false })
  const isCode = factor !== undefined && (hasFactor(factor) || factor.recovery_codes_left > 0)
  const hasApp = factor !== undefined && factor.totp !== null
  const isTyped = typed.trim() !== ''
  const proof = useMutation({
    mutationFn: async (way: 'typed' | 'passkey') => {
      if (way === 'passkey') return send({ passkey: await takePasskey() })
      return send(isCode ? { code: typed } : { password: typed })
    },
    onSuccess: onDone,
  })
  const fieldError = proof.error instanceof Failure ? Object.values(proof.error.fields)[0] : undefined
  const hasPasskey = hasPasskeys() && factor !== undefined && factor.passkeys.length > 0

  function handleSubmit(event: SubmitEvent) {
    event.preventDefault()
    if (isTyped && !proof.isPending) proof.mutate('typed')
  }

  return (
    <Dialog open onClose={onCancel} role="alertdialog" title={title} description={description}>
      <form noValidate onSubmit={handleSubmit} className="grid grid-cols-1 gap-4">
        {proof.isError && !fieldError && <Alert kind="error">{failureText(proof.error)}</Alert>}
        {/* Tells password managers whose password this is. */}
        <input
          type="text"
          name="username"
          autoComplete="username"
          value={session?.partnerEmail ?? ''}
          readOnly
          hidden
        />
        {isPending && <Spinner label="Loading your second factor" />}
        {hasPasskey && (
          <Button
            variant="secondary"
            icon={<Fingerprint aria-hidden />}
            busy={proof.isPending && proof.variables === 'passkey'}
            onClick={() => proof.mutate('passkey')}
          >
            Use a passkey
          </Button>
        )}
        {!isPending &&
          (isCode ? (
            <TextField
              label={hasApp ? 'Code' : 'Recovery code'}
              name="code"
              value={typed}
              autoComplete="one-time-code"
              autoCapitalize="off"
              spellCheck={false}
              hint={hasApp ? 'From your authenticator app, or a recovery code.' : 'Each recovery code works once.'}
              error={fieldError}
              onChange={(event) => setTyped(event.target.value)}
            />
          ) : (
            <PasswordField
              label="Password"
              name="password"
              autoComplete="current-password"
              value={typed}
              error={fieldError}
              onChange={(event) => setTyped(event.target.value)}
            />
          ))}
        <div className="mt-2 flex flex-wrap justify-end gap-2">
          <Button variant="secondary" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" disabled={!isTyped} busy={proof.isPending && proof.variables === 'typed'}>
            {confirmLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
