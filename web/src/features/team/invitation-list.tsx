import { personName } from '@portal/contract/person-name.ts'
import { ROLE_NAMES } from '@portal/contract/roles.ts'
import { type Invitation, revokeInvitation, sendInvitation } from '@portal/contract/team.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { formatDateTime, isPast } from '../../format/dates.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { useFocusLeftBehind } from '../../ui/keep-focus.ts'
import { toast } from '../../ui/toast.ts'
import { refreshTeam } from './team.queries.ts'

export function InvitationList({ invitations }: { invitations: readonly Invitation[] }) {
  return (
    <Card title="Open invitations" action={<Badge>{invitations.length}</Badge>} padded={false}>
      <ul aria-label="Open invitations">
        {invitations.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Card>
  )
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const queryClient = useQueryClient()
  const [isAsking, setIsAsking] = useState(false)
  const ref = useRef<HTMLLIElement>(null)
  useFocusLeftBehind(ref)
  const { id, email } = invitation
  const name = personName(invitation)

  const send = useMutation({
    mutationFn: () => call(sendInvitation, { params: { id } }),
    onSuccess: () => toast.success(`The invitation is on its way to ${email}`),
    onError: toast.failure,
    onSettled: () => refreshTeam(queryClient),
  })
  const revoke = useMutation({
    mutationFn: () => call(revokeInvitation, { params: { id } }),
    onSuccess: () => toast.success('Invitation revoked'),
    onError: toast.failure,
    onSettled: () => refreshTeam(queryClient),
  })

  function handleRevoke() {
    setIsAsking(false)
    revoke.mutate()
  }

  return (
    <li
      ref={ref}
      className="grid grid-cols-1 items-center gap-x-4 gap-y-3 border-b border-line px-5 py-3.5 last:border-0 sm:grid-cols-[minmax(0,1fr)_auto]"
    >
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-medium break-words">{name}</span>
          <Badge>{ROLE_NAMES[invitation.role]}</Badge>
        </p>
        <p className="text-[0.8125rem] break-all text-muted">{email}</p>
        <Validity until={invitation.expires_at} />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          variant="secondary"
          size="small"
          busy={send.isPending}
          aria-label={`Send again to ${name}`}
          onClick={() => send.mutate()}
        >
          Send again
        </Button>
        <Button
          variant="secondary"
          size="small"
          busy={revoke.isPending}
          aria-label={`Revoke the invitation for ${name}`}
          onClick={() => setIsAsking(true)}
        >
          Revoke
        </Button>
      </div>
      <ConfirmDialog
        open={isAsking}
        title="Revoke Invitation"
        text={`The link that was sent to ${name} stops working at once.`}
        confirmLabel="Revoke"
        danger
        onConfirm={handleRevoke}
        onClose={() => setIsAsking(false)}
      />
    </li>
  )
}

function Validity({ until }: { until: string | null }) {
  if (until === null) return <p className="text-[0.8125rem] text-muted">The email is on its way</p>
  if (isPast(until)) {
    return <p className="text-[0.8125rem] text-error-ink">The link has expired. Send the invitation again.</p>
  }
  return (
    <p className="text-[0.8125rem] text-muted">
      Valid until <time dateTime={until}>{formatDateTime(until)}</time>
    </p>
  )
}
