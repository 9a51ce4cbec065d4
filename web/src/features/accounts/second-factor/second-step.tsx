import type { BegunSession, SecondStep as Step } from '@portal/contract/accounts.ts'
import { finishSignIn, type UsedPasskey } from '@portal/contract/second-factor.ts'
import { useMutation } from '@tanstack/react-query'
import { Fingerprint } from 'lucide-react'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { call } from '../../../api/call.ts'
import { Failure, failureText } from '../../../api/failure.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import { textLinkClass } from '../account-frame.tsx'
import { hasPasskeys, takePasskey } from './device-passkeys.ts'

interface SecondStepProps {
  step: Step['second_factor']
  onDone: (begun: BegunSession) => void
  /** Called when the step has expired and the password must be entered again. */
  onExpired: (text: string) => void
}

/** The step after the password: a code from the authenticator app, a recovery code or a passkey. */
export function SecondStep({ step, onDone, onExpired }: SecondStepProps) {
  const { token, kinds } = step
  const hasApp = kinds.includes('totp')
  const hasPasskey = kinds.includes('passkey') && hasPasskeys()
  const [isRecovery, setIsRecovery] = useState(!hasApp && !hasPasskey)
  const [code, setCode] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])

  const finish = useMutation({
    mutationFn: async (way: 'code' | 'passkey') => {
      const factor: { code: string } | { passkey: UsedPasskey } =
        way === 'code' ? { code } : { passkey: await takePasskey(token) }
      return call(finishSignIn, { body: { token, ...factor } })
    },
    onSuccess: onDone,
    onError(error) {
      if (error instanceof Failure && error.code === 'SIGN_IN_EXPIRED') onExpired(error.message)
      else field.current?.select()
    },
  })
  const isRunning = finish.isPending || finish.isSuccess
  const isWrongCode = finish.error instanceof Failure && finish.error.code === 'INVALID_CODE'
  const asksCode = hasApp || isRecovery

  function handleSubmit(event: SubmitEvent) {
    event.preventDefault()
    if (code.trim() !== '' && !isRunning) finish.mutate('code')
  }

  function handleSwitch() {
    setIsRecovery(!isRecovery)
    setCode('')
    finish.reset()
    // The field may not appear until the next frame.
    requestAnimationFrame(() => field.current?.focus())
  }

  return (
    <div className="grid grid-cols-1 gap-4">
      {finish.isError && !isWrongCode && <Alert kind="error">{failureText(finish.error)}</Alert>}
      {asksCode && (
        <form noValidate onSubmit={handleSubmit} className="grid grid-cols-1 gap-4">
          <TextField
            key={isRecovery ? 'recovery' : 'app'}
            ref={field}
            label={isRecovery ? 'Recovery code' : 'Code'}
            name="code"
            value={code}
            autoComplete={isRecovery ? 'off' : 'one-time-code'}
            inputMode={isRecovery ? 'text' : 'numeric'}
            autoCapitalize="off"
            spellCheck={false}
            error={isWrongCode ? failureText(finish.error) : undefined}
            hint={isRecovery ? 'Each recovery code works once.' : 'Six digits, from your authenticator app.'}
            onChange={(event) => setCode(event.target.value)}
          />
          <Button type="submit" busy={isRunning && finish.variables === 'code'} disabled={code.trim() === ''}>
            {isRunning && finish.variables === 'code' ? 'Signing in' : 'Sign in'}
          </Button>
        </form>
      )}
      {hasPasskey && (
        <Button
          variant={asksCode ? 'secondary' : 'primary'}
          icon={<Fingerprint aria-hidden />}
          busy={isRunning && finish.variables === 'passkey'}
          onClick={() => finish.mutate('passkey')}
        >
          Use a passkey
        </Button>
      )}
      {kinds.includes('recovery') && (hasApp || hasPasskey) && (
        <p className="text-center">
          <button type="button" className={textLinkClass} onClick={handleSwitch}>
            {isRecovery ? 'Use your usual second factor' : 'Use a recovery code'}
          </button>
        </p>
      )}
    </div>
  )
}
