import { zodResolver } from '@hookform/resolvers/zod'
import { PASSWORD_COMMON, PASSWORD_TOO_SHORT, PASSWORDS_DIFFER } from '@portal/contract/account-forms.ts'
import { changePassword } from '@portal/contract/accounts.ts'
import { useMutation } from '@tanstack/react-query'
import { FormProvider, useForm } from 'react-hook-form'
import * as z from 'zod/mini'
import { call } from '../../api/call.ts'
import { Failure } from '../../api/failure.ts'
import { paths } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'
import { May } from '../../session/may.tsx'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.ts'
import { accessText } from './access-text.ts'
import { textLinkClass } from './account-frame.tsx'
import { changePasswordFailureText } from './failure-texts.ts'
import { newPasswordShape, passwordsMatch } from './new-password.ts'
import { NewPasswordFields } from './new-password-fields.tsx'
import { RevokeAccess } from './revoke-access.tsx'

const PasswordChangeForm = z
  .object({
    currentPassword: z.string().check(z.minLength(1, 'Current password is required')),
    ...newPasswordShape({ password: 'New password is required', confirmation: 'Password confirmation is required' }),
    revokeAccess: z.boolean(),
  })
  .check(passwordsMatch())
type PasswordChangeForm = z.infer<typeof PasswordChangeForm>

/** The field that each refusal belongs to, and the text to show there (section 8). */
const REFUSALS: Record<string, { field: keyof PasswordChangeForm; text: string }> = {
  INVALID_CURRENT_PASSWORD: { field: 'currentPassword', text: 'Current password is incorrect' },
  PASSWORD_MISMATCH: { field: 'confirmPassword', text: PASSWORDS_DIFFER },
  WEAK_PASSWORD: { field: 'password', text: PASSWORD_TOO_SHORT },
  SAME_PASSWORD: { field: 'password', text: 'New password must be different from current password' },
}

const EMPTY: PasswordChangeForm = { currentPassword: '', password: '', confirmPassword: '', revokeAccess: false }

export function PasswordForm({ email }: { email: string }) {
  const form = useForm({
    mode: 'onTouched',
    resolver: zodResolver(PasswordChangeForm),
    defaultValues: EMPTY,
  })
  const { register, handleSubmit, formState, reset, setError } = form
  const { errors } = formState

  const change = useMutation({
    mutationFn: ({ password: newPassword, ...form }: PasswordChangeForm) =>
      call(changePassword, { body: { ...form, newPassword } }),
    onSuccess() {
      reset(EMPTY)
      toast.success('Password changed successfully')
    },
    onError(error) {
      const refusal = refusalOf(error)
      if (refusal) setError(refusal.field, { type: 'server', message: refusal.text }, { shouldFocus: true })
    },
  })

  const access = change.data && accessText(change.data)

  return (
    <form noValidate onSubmit={handleSubmit((values) => change.mutate(values))} className="grid grid-cols-1 gap-4">
      {change.isError && !refusalOf(change.error) && (
        <Alert kind="error">{changePasswordFailureText(change.error)}</Alert>
      )}
      {access && (
        <Alert kind={change.data?.left.length === 0 ? 'success' : 'warning'}>
          {access}{' '}
          <Link {...paths.accountSecurity} className={textLinkClass}>
            See everything that can get in
          </Link>
        </Alert>
      )}
      {/* Tells password managers whose password this is. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label="Current password"
        required
        autoComplete="current-password"
        error={errors.currentPassword?.message}
        {...register('currentPassword')}
      />
      <FormProvider {...form}>
        <NewPasswordFields label="New password" required />
      </FormProvider>
      <May least="owner">
        <RevokeAccess {...register('revokeAccess')} />
      </May>
      <div className="mt-2 flex justify-end border-t border-line pt-5">
        <Button type="submit" busy={change.isPending}>
          Change Password
        </Button>
      </div>
    </form>
  )
}

/** The server uses the same code for a weak password and a short one. Its text says why a password is weak. */
function refusalOf(error: unknown) {
  const refusal = error instanceof Failure ? REFUSALS[error.code] : undefined
  return refusal && error instanceof Failure && error.message.startsWith(PASSWORD_COMMON)
    ? { ...refusal, text: error.message }
    : refusal
}
