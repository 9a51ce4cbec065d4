import { sendVerification } from '@portal/contract/accounts.ts'
import { HOLDS } from '@portal/contract/holds.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Mail } from 'lucide-react'
import { call } from '../../api/call.ts'
import { sessionQuery } from '../../session/session.queries.ts'
import { readUnverified } from '../../session/unverified-email.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.ts'

const FRESH_MS = 5 * 60_000

/**
 * A line above each page until the person has confirmed their email address (D137). It says more while the portal
 * exchanges no records with the CRM because of that (D121, D122).
 */
export function ConfirmEmailLine() {
  const { data: session } = useQuery({ ...sessionQuery(), staleTime: FRESH_MS })
  const mail = useMutation({
    mutationFn: () => call(sendVerification),
    onSuccess: () => toast.success(`The link is on its way to ${session?.partnerEmail}`),
    onError: toast.failure,
  })
  const isHeld = session?.mustConfirmEmail ?? false
  const isShown = isHeld || (session ? session.hasUnverifiedEmail : readUnverified())
  if (!isShown) return null
  return (
    <div
      role="status"
      className="flex min-h-11 items-center justify-between gap-x-4 border-b border-line bg-warning-tint px-4 text-[0.8125rem] text-warning-ink sm:px-6 lg:px-8 print:hidden"
    >
      <p className={isHeld ? 'py-2' : 'truncate'}>
        <span className="font-medium">
          {isHeld ? HOLDS[session?.hold ?? 'existing'].text : 'Confirm your email address'}.
        </span>{' '}
        {isHeld && 'Until then, your submissions wait here. '}
        {session && (
          <span className={isHeld ? undefined : 'max-sm:hidden'}>
            {`Open the link that we mailed to ${session.partnerEmail}.`}
          </span>
        )}
      </p>
      <Button
        variant="ghost"
        size="small"
        className="text-current! max-sm:px-1!"
        icon={<Mail aria-hidden className="max-sm:hidden" />}
        busy={mail.isPending}
        onClick={() => mail.mutate()}
      >
        Send the link again
      </Button>
    </div>
  )
}
