import { zodResolver } from '@hookform/resolvers/zod'
import { NewInvitation } from '@portal/contract/invitation-form.ts'
import { ROLE_NAMES, ROLE_TEXTS, ROLES } from '@portal/contract/roles.ts'
import { invitePerson } from '@portal/contract/team.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm, useWatch } from 'react-hook-form'
import { call } from '../../api/call.ts'
import { Failure, failureText } from '../../api/failure.ts'
import { useIdempotencyKey } from '../../api/idempotency-key.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.ts'
import { refreshTeam } from './team.queries.ts'

const HAS_ACCOUNT = 'This address already has an account. An address can belong to only one business.'

interface InviteDialogProps {
  open: boolean
  onClose: () => void
}

export function InviteDialog({ open, onClose }: InviteDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Invite a Person"
      description="We email the person a link for choosing a password. The link is valid for 7 days."
    >
      <InviteForm onClose={onClose} />
    </Dialog>
  )
}

function InviteForm({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const keys = useIdempotencyKey()
  const { control, register, handleSubmit, formState, setError } = useForm({
    mode: 'onTouched',
    resolver: zodResolver(NewInvitation),
    defaultValues: { email: '', firstName: '', lastName: '', role: 'member' as const },
  })
  const { errors } = formState
  const role = useWatch({ control, name: 'role' })

  const invite = useMutation({
    mutationFn: (body: NewInvitation) => call(invitePerson, { body, idempotencyKey: keys.keyFor(body) }),
    onSuccess({ email }) {
      toast.success(`The invitation is on its way to ${email}`)
      void refreshTeam(queryClient)
      onClose()
    },
    onError(error) {
      if (hasAccount(error)) setError('email', { type: 'server', message: HAS_ACCOUNT }, { shouldFocus: true })
    },
  })

  return (
    <form noValidate onSubmit={handleSubmit((form) => invite.mutate(form))} className="grid grid-cols-1 gap-4">
      {invite.isError && !hasAccount(invite.error) && <Alert kind="error">{failureText(invite.error)}</Alert>}
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <TextField
          label="First name"
          required
          autoComplete="off"
          error={errors.firstName?.message}
          {...register('firstName')}
        />
        <TextField label="Last name" autoComplete="off" error={errors.lastName?.message} {...register('lastName')} />
      </div>
      <TextField
        label="Email"
        type="email"
        required
        inputMode="email"
        autoComplete="off"
        error={errors.email?.message}
        {...register('email')}
      />
      <SelectField
        label="Role"
        options={ROLES.map((value) => ({ value, label: ROLE_NAMES[value] }))}
        hint={ROLE_TEXTS[role]}
        {...register('role')}
      />
      <div className="mt-2 flex flex-wrap justify-end gap-2">
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" busy={invite.isPending}>
          Send Invitation
        </Button>
      </div>
    </form>
  )
}

function hasAccount(error: unknown): boolean {
  return error instanceof Failure && error.code === 'EMAIL_EXISTS'
}
