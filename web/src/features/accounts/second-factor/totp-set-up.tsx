import { beginTotp, confirmTotp } from '@portal/contract/second-factor.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, type SubmitEvent, Suspense, useState } from 'react'
import { call } from '../../../api/call.ts'
import { Failure as CallFailure, failureText } from '../../../api/failure.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Failure } from '../../../ui/failure.tsx'
import { TextField } from '../../../ui/field.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Spinner } from '../../../ui/spinner.tsx'

const QrCode = lazy(async () => ({ default: (await import('./qr-code.tsx')).QrCode }))

interface TotpSetUpProps {
  onDone: (recoveryCodes: string[] | null) => void
  onCancel: () => void
}

/** The person scans or types the secret, and then confirms the set-up with a code from the app. */
export function TotpSetUp({ onDone, onCancel }: TotpSetUpProps) {
  // This is a query, not a mutation, so that a page that is rendered twice makes only one secret. The query is static,
  // because another call would replace the secret that the person has scanned.
  const secret = useQuery({
    queryKey: ['accounts', 'totp-set-up'],
    queryFn: () => call(beginTotp),
    gcTime: 0,
    staleTime: 'static',
  })
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () => call(confirmTotp, { body: { code } }),
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
  })
  const isWrongCode = confirm.error instanceof CallFailure && confirm.error.code === 'INVALID_CODE'

  function handleSubmit(event: SubmitEvent) {
    event.preventDefault()
    if (code.trim() !== '' && !confirm.isPending) confirm.mutate()
  }

  if (secret.isPending) return <Spinner label="Making a secret" />
  if (secret.isError) {
    return (
      <Failure
        text={failureText(secret.error)}
        onRetry={() => void secret.refetch()}
        action={
          <Button variant="ghost" onClick={onCancel}>
            Cancel
          </Button>
        }
      />
    )
  }
  const { otpauth_url, secret: typed } = secret.data
  return (
    <div className="@container">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5 @lg:grid-cols-[12rem_minmax(0,1fr)]">
        <Suspense fallback={<Skeleton className="size-48" />}>
          <QrCode text={otpauth_url} label="QR code for your authenticator app" />
        </Suspense>
        <div className="grid content-start gap-4">
          <p>
            Scan the code with your authenticator app, or{' '}
            <a href={otpauth_url} className="rounded font-medium text-brand-ink underline underline-offset-4">
              open it on this device
            </a>
            . You can also type this secret:
          </p>
          <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-sunken py-1.5 pr-1.5 pl-4">
            <code className="min-w-0 flex-1 basis-40 font-mono text-[0.8125rem]">{inGroups(typed)}</code>
            <CopyButton text={typed} label="Copy secret" shortLabel="Copy" variant="ghost" />
          </div>
          <form noValidate onSubmit={handleSubmit} className="grid grid-cols-1 gap-4">
            {confirm.isError && !isWrongCode && <Alert kind="error">{failureText(confirm.error)}</Alert>}
            <TextField
              label="Code from the app"
              name="code"
              value={code}
              autoComplete="one-time-code"
              inputMode="numeric"
              error={isWrongCode ? failureText(confirm.error) : undefined}
              hint="Six digits. They prove that the app has the secret."
              onChange={(event) => setCode(event.target.value)}
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="secondary" onClick={onCancel}>
                Cancel
              </Button>
              <Button type="submit" disabled={code.trim() === ''} busy={confirm.isPending}>
                Turn on
              </Button>
            </div>
          </form>
        </div>
      </div>
    </div>
  )
}

/** Splits the secret into groups, which are easier to type. A line can break between two groups. */
function inGroups(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret
}
