import { zodResolver } from '@hookform/resolvers/zod'
import { SignUp } from '@portal/contract/account-forms.ts'
import { signUp } from '@portal/contract/accounts.ts'
import { ASK_FOR_INVITATION } from '@portal/contract/sign-up-mode.ts'
import { useMutation } from '@tanstack/react-query'
import { FormProvider, useForm } from 'react-hook-form'
import * as z from 'zod/mini'
import { call } from '../../api/call.ts'
import { useIdempotencyKey } from '../../api/idempotency-key.ts'
import { paths } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'
import { PrivacyNotice } from '../../session/privacy-notice.tsx'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { useFirstErrorInView } from '../../ui/first-error.ts'
import { AccountFrame, textLinkClass } from './account-frame.tsx'
import { signUpFailureText, weakPasswordText } from './failure-texts.ts'
import { showFieldErrors } from './field-errors.ts'
import { isByInvitation } from './is-by-invitation.ts'
import { newPasswordShape, passwordsMatch } from './new-password.ts'
import { NewPasswordFields } from './new-password-fields.tsx'
import { useRedirectAfter } from './use-redirect-after.ts'

const REDIRECT_DELAY_MS = 2_500

const SignUpForm = z
  .object({
    ...SignUp.shape,
    ...newPasswordShape({ password: 'Password is required', confirmation: 'Password confirmation is required' }),
  })
  .check(passwordsMatch())

export function SignUpPage() {
  return isByInvitation() ? <NoSignUp /> : <SignUpFormPage />
}

function NoSignUp() {
  return (
    <AccountFrame
      title={ASK_FOR_INVITATION}
      text="Your lender invites its partners. You get an email with a link, which opens your account."
      footer={<SignInLink />}
    />
  )
}

function SignInLink() {
  return (
    <>
      Already a partner?{' '}
      <Link {...paths.login} state className={textLinkClass}>
        Sign in
      </Link>
    </>
  )
}

function SignUpFormPage() {
  const form = useForm({
    mode: 'onTouched',
    resolver: zodResolver(SignUpForm),
    defaultValues: { firstName: '', lastName: '', email: '', businessName: '', password: '', confirmPassword: '' },
  })
  const { register, handleSubmit, formState, setError } = form
  const { errors } = formState
  const keys = useIdempotencyKey()

  const creation = useMutation({
    mutationFn: (body: SignUp) => call(signUp, { body, idempotencyKey: keys.keyFor(body) }),
    onError(error) {
      const weak = weakPasswordText(error)
      if (weak) setError('password', { type: 'server', message: weak }, { shouldFocus: true })
      else showFieldErrors(error, ['email', 'businessName', 'firstName', 'lastName', 'password'], setError)
    },
  })
  useRedirectAfter(creation.isSuccess, 'login', REDIRECT_DELAY_MS, creation.variables?.email)
  useFirstErrorInView(formState.submitCount, creation.error)

  const submit = handleSubmit(({ confirmPassword: _, ...body }) => creation.mutate(body))

  return (
    <AccountFrame
      title="Create your account"
      text="Refer loan applicants and follow them until they are funded."
      footer={<SignInLink />}
    >
      <form noValidate onSubmit={submit} className="grid grid-cols-1 gap-4">
        {creation.isError && !weakPasswordText(creation.error) && (
          <Alert kind="error">{signUpFailureText(creation.error)}</Alert>
        )}
        {creation.isSuccess && <Alert kind="success">Account created. Taking you to the sign-in page…</Alert>}
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <TextField
            label="First name (optional)"
            autoComplete="given-name"
            error={errors.firstName?.message}
            {...register('firstName')}
          />
          <TextField
            label="Last name (optional)"
            autoComplete="family-name"
            error={errors.lastName?.message}
            {...register('lastName')}
          />
        </div>
        <TextField
          label="Email"
          type="email"
          required
          autoComplete="email"
          error={errors.email?.message}
          {...register('email')}
        />
        <TextField
          label="Business name"
          required
          autoComplete="organization"
          error={errors.businessName?.message}
          {...register('businessName')}
        />
        <FormProvider {...form}>
          <NewPasswordFields label="Password" required />
        </FormProvider>
        <PrivacyNotice whose="your" className="text-muted" />
        <Button type="submit" busy={creation.isPending || creation.isSuccess}>
          Create account
        </Button>
      </form>
    </AccountFrame>
  )
}
