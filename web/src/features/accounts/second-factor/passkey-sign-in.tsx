import type { BegunSession } from '@portal/contract/accounts.ts'
import { signInWithPasskey } from '@portal/contract/second-factor.ts'
import { useMutation } from '@tanstack/react-query'
import { Fingerprint } from 'lucide-react'
import { call } from '../../../api/call.ts'
import { failureText } from '../../../api/failure.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { takePasskey } from './device-passkeys.ts'

/** A button that signs in with a passkey, without email and password. */
export function PasskeySignIn({ onDone }: { onDone: (begun: BegunSession) => void }) {
  const signIn = useMutation({
    mutationFn: async () => call(signInWithPasskey, { body: { passkey: await takePasskey() } }),
    onSuccess: onDone,
  })
  return (
    <div className="mt-4 grid grid-cols-1 gap-4">
      <Button
        variant="secondary"
        icon={<Fingerprint aria-hidden />}
        busy={signIn.isPending || signIn.isSuccess}
        onClick={() => signIn.mutate()}
      >
        Sign in with a passkey
      </Button>
      {signIn.isError && <Alert kind="error">{failureText(signIn.error)}</Alert>}
    </div>
  )
}
