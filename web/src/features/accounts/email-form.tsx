import { zodResolver } from '@hookform/resolvers/zod'
import { changeEmail, EmailChange } from '@portal/contract/email-address.ts'
import { useMutation } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { showFieldErrors } from './field-errors.ts'

const FIELDS = ['email'] as const

/**
 * Asks for a new email address. The new address replaces the old one when the person opens the link in the mail (D67).
 */
export function EmailForm() {
  const { register, handleSubmit, formState, reset, setError } = useForm({
    mode: 'onTouched',
    resolver: zodResolver(EmailChange),
    defaultValues: { email: '' },
  })
  const change = useMutation({
    mutationFn: (body: EmailChange) => call(changeEmail, { body }),
    onSuccess: () => reset({ email: '' }),
    onError: (error) => showFieldErrors(error, FIELDS, setError),
  })

  return (
    <form noValidate onSubmit={handleSubmit((values) => change.mutate(values))} className="grid grid-cols-1 gap-4">
      {change.isError && !formState.errors.email && <Alert kind="error">{failureText(change.error)}</Alert>}
      {change.isSuccess && (
        <Alert kind="success">
          We sent a link to {change.variables.email}. Open the link within 24 hours to change your address.
        </Alert>
      )}
      <TextField
        label="New email"
        type="email"
        required
        autoComplete="email"
        error={formState.errors.email?.message}
        {...register('email')}
      />
      <div className="mt-2 flex justify-end border-t border-line pt-5">
        <Button type="submit" busy={change.isPending}>
          Send Link
        </Button>
      </div>
    </form>
  )
}
