import { zodResolver } from '@hookform/resolvers/zod'
import { SignIn, signIn } from '@portal/contract/accounts.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useForm, useWatch } from 'react-hook-form'
import { call } from '../../api/call.ts'
import { paths } from '../../app/paths.ts'
import { beginSession } from '../../session/begin-session.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.ts'
import { AccountFrame, textLinkClass } from './account-frame.tsx'
import { signInFailureText } from './failure-texts.ts'
import { useRedirectAfter } from './use-redirect-after.ts'

const REDIRECT_DELAY_MS = 500

export function LoginPage() {
  const queryClient = useQueryClient()
  const { control, register, handleSubmit, formState } = useForm({
    mode: 'onTouched',
    resolver: zodResolver(SignIn),
    defaultValues: { email: '', password: '' },
  })
  const { errors } = formState
  const [email, password] = useWatch({ control, name: ['email', 'password'] })

  const login = useMutation({
    mutationFn: (body: SignIn) => call(signIn, { body }),
    onSuccess({ token, partner }) {
      const { id, businessName, email: partnerEmail } = partner
      beginSession(queryClient, token, { partnerId: id, businessName, partnerEmail })
      toast.success(`Welcome back, ${businessName}!`)
    },
  })
  useRedirectAfter(login.isSuccess, 'dashboard', REDIRECT_DELAY_MS)

  const isEmpty = email.trim() === '' || password === ''
  const isRunning = login.isPending || login.isSuccess

  return (
    <AccountFrame
      title="Sign in"
      text="Welcome back. Enter your details to go on."
      footer={
        <>
          New here?{' '}
          <Link {...paths.signUp} className={textLinkClass}>
            Create Partner Account
          </Link>
        </>
      }
    >
      <form noValidate onSubmit={handleSubmit((values) => login.mutate(values))} className="grid gap-4">
        {login.isError && <Alert kind="error">{signInFailureText(login.error)}</Alert>}
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          inputMode="email"
          error={errors.email?.message}
          {...register('email')}
        />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          error={errors.password?.message}
          {...register('password')}
        />
        <div className="-mt-1 text-right">
          <Link {...paths.forgotPassword} className={`${textLinkClass} inline-block py-0.5 text-[0.8125rem]`}>
            Forgot your password?
          </Link>
        </div>
        <Button type="submit" busy={isRunning} disabled={isEmpty}>
          {isRunning ? 'Signing in' : 'Sign in'}
        </Button>
      </form>
    </AccountFrame>
  )
}
