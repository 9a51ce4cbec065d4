import { confirmAccount } from '@portal/contract/second-factor.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Fingerprint } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { call } from '../../../api/call.ts'
import { Failure, failureText } from '../../../api/failure.ts'
import { sessionQuery } from '../../../session/session.queries.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { PasswordField } from '../../../ui/field.tsx'
import { hasPasskeys, takePasskey } from './device-passkeys.ts'
import { secondFactorQuery } from './second-factor.queries.ts'

/** Asks for the password or a passkey again before a sensitive action. */
export function ConfirmDialog({ onAnswer }: { onAnswer: (isConfirmed: boolean) => void }) {
  const [password, setPassword] = useState('')
  const factor = useQuery(secondFactorQuery())
  const { data: session } = useQuery({ ...sessionQuery(), enabled: false })
  const confirm = useMutation({
    mutationFn: async (way: 'password' | 'passkey') =>
      call(confirmAccount, { body: way === 'password' ? { password } : { passkey: await takePasskey() } }),
    onSuccess: () => onAnswer(true),
  })
  const isWrongPassword = confirm.error instanceof Failure && confirm.error.code === 'INVALID_CURRENT_PASSWORD'
  const hasPasskey = hasPasskeys() && factor.data !== undefined && factor.data.passkeys.length > 0

  function handleSubmit(event: SubmitEvent) {
    event.preventDefault()
    if (password !== '' && !confirm.isPending) confirm.mutate('password')
  }

  return (
    <Dialog
      open
      onClose={() => onAnswer(false)}
      role="alertdialog"
      title="Confirm that it is you"
      description="Enter your password again. You will not be asked again for 15 minutes."
    >
      <form noValidate onSubmit={handleSubmit} className="grid grid-cols-1 gap-4">
        {confirm.isError && !isWrongPassword && <Alert kind="error">{failureText(confirm.error)}</Alert>}
        {/* Tells password managers whose password this is. */}
        <input
          type="text"
          name="username"
          autoComplete="username"
          value={session?.partnerEmail ?? ''}
          readOnly
          hidden
        />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="current-password"
          value={password}
          error={isWrongPassword ? failureText(confirm.error) : undefined}
          onChange={(event) => setPassword(event.target.value)}
        />
        {hasPasskey && (
          <Button
            variant="secondary"
            icon={<Fingerprint aria-hidden />}
            busy={confirm.isPending && confirm.variables === 'passkey'}
            onClick={() => confirm.mutate('passkey')}
          >
            Use a passkey
          </Button>
        )}
        <div className="mt-2 flex flex-wrap justify-end gap-2">
          <Button variant="secondary" onClick={() => onAnswer(false)}>
            Cancel
          </Button>
          <Button type="submit" disabled={password === ''} busy={confirm.isPending && confirm.variables === 'password'}>
            Confirm
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
