import { CONFIRM_EMAIL, sendVerification } from '@portal/contract/accounts.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Mail } from 'lucide-react'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { sessionQuery } from '../../session/session.queries.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.ts'

const FRESH_MS = 5 * 60_000

/**
 * Shown while the portal exchanges no records with the CRM, because the partner must first confirm its email address
 * (D52).
 */
export function ConfirmEmailNotice() {
  const { data: partner } = useQuery({ ...sessionQuery(), staleTime: FRESH_MS })
  const mail = useMutation({
    mutationFn: () => call(sendVerification),
    onSuccess: () => toast.success(`The link is on its way to ${partner?.partnerEmail}`),
    onError: (error) => toast.error(failureText(error)),
  })
  if (!partner?.mustConfirmEmail) return null
  return (
    <Alert kind="warning" className="mb-5">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p>
          <span className="font-medium">{CONFIRM_EMAIL}.</span> Until then, your submissions wait here. Open the link
          that we mailed to {partner.partnerEmail}.
        </p>
        <Button
          variant="secondary"
          size="small"
          icon={<Mail aria-hidden />}
          busy={mail.isPending}
          onClick={() => mail.mutate()}
        >
          Send the link again
        </Button>
      </div>
    </Alert>
  )
}
