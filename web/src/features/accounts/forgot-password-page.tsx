import { zodResolver } from '@hookform/resolvers/zod'
import { ForgotPassword } from '@portal/contract/account-forms.ts'
import { forgotPassword } from '@portal/contract/accounts.ts'
import { useMutation } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { call } from '../../api/call.ts'
import { paths } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'
import { Alert } from '../../ui/alert.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { AccountFrame, textLinkClass } from './account-frame.tsx'
import { forgotPasswordFailureText } from './failure-texts.ts'

export function ForgotPasswordPage() {
  const { register, handleSubmit, formState } = useForm({
    mode: 'onTouched',
    resolver: zodResolver(ForgotPassword),
    defaultValues: { email: '' },
  })
  const request = useMutation({ mutationFn: (body: { email: string }) => call(forgotPassword, { body }) })
  const resetToken = request.data?.resetToken

  return (
    <AccountFrame
      title="Forgot your password?"
      text="Enter the email address of your account and we will send you a link to choose a new password."
      footer={
        <Link {...paths.login} state className={textLinkClass}>
          Back to sign in
        </Link>
      }
    >
      <form noValidate onSubmit={handleSubmit((values) => request.mutate(values))} className="grid grid-cols-1 gap-4">
        {request.isError && <Alert kind="error">{forgotPasswordFailureText(request.error)}</Alert>}
        {request.isSuccess && (
          <Alert kind="success">
            Reset instructions are on their way to {request.variables.email}. The link is valid for one hour.
          </Alert>
        )}
        {resetToken && (
          <Link {...paths.resetPassword(resetToken)} className={buttonClass('secondary')}>
            Reset password now (development)
          </Link>
        )}
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          error={formState.errors.email?.message}
          {...register('email')}
        />
        <Button type="submit" variant={request.isSuccess ? 'secondary' : 'primary'} busy={request.isPending}>
          {request.isSuccess ? 'Send again' : 'Send reset instructions'}
        </Button>
      </form>
    </AccountFrame>
  )
}
