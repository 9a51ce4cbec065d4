import { zodResolver } from '@hookform/resolvers/zod'
import type { AccessItem } from '@portal/contract/access.ts'
import { readResetAccess, resetPassword } from '@portal/contract/accounts.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FormProvider, useForm, useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { call } from '../../api/call.ts'
import { paths } from '../../app/paths.ts'
import { tokenSearch } from '../../app/token-search.ts'
import { Link } from '../../router/link.tsx'
import { useSearch } from '../../router/router-view.tsx'
import { LINK_KEY } from '../../session/forget-person.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.ts'
import { accessText } from './access-text.ts'
import { AccountFrame, BackToSignIn, textLinkClass } from './account-frame.tsx'
import { ChooseAccess } from './choose-access.tsx'
import { DEAD_LINK_TEXTS, MISSING_RESET_TOKEN, resetPasswordFailureText, weakPasswordText } from './failure-texts.ts'
import { newPasswordShape, passwordsMatch } from './new-password.ts'
import { NewPasswordFields } from './new-password-fields.tsx'
import { useRedirectAfter } from './use-redirect-after.ts'

const REDIRECT_DELAY_MS = 3_000
const ACCESS_SHOWN_MS = 8_000
export function ResetPasswordPage() {
  const { token } = useSearch(tokenSearch)
  return (
    <AccountFrame title="Choose a new password" footer={<BackToSignIn />}>
      {token ? <ResetForm token={token} /> : <MissingToken />}
    </AccountFrame>
  )
}

function MissingToken() {
  return (
    <div className="grid grid-cols-1 gap-4">
      <Alert kind="error">{MISSING_RESET_TOKEN}</Alert>
      <NewLink />
    </div>
  )
}

function NewLink() {
  return (
    <Link {...paths.forgotPassword} className={buttonClass('primary')}>
      Request a new link
    </Link>
  )
}

const NewPasswordForm = z
  .object({
    ...newPasswordShape({ password: 'Password is required', confirmation: 'Password confirmation is required' }),
    revokeAccess: z.boolean(),
  })
  .check(passwordsMatch())
type NewPasswordForm = z.infer<typeof NewPasswordForm>

function ResetForm({ token }: { token: string }) {
  const form = useForm({
    mode: 'onTouched',
    resolver: zodResolver(NewPasswordForm),
    defaultValues: { password: '', confirmPassword: '', revokeAccess: false },
  })
  const { control, register, handleSubmit, setError } = form
  const revokeAccess = useWatch({ control, name: 'revokeAccess' })
  const access = useQuery({
    queryKey: [LINK_KEY, 'access', token],
    queryFn: async ({ signal }) => (await call(readResetAccess, { body: { token }, signal })).items,
    // Sessions end with every reset.
    select: (items) => items.filter(({ kind }) => kind !== 'session'),
    enabled: revokeAccess,
  })
  const [ticks, setTicks] = useState<Readonly<Record<string, boolean>>>({})
  const isTicked = ({ id, is_recent }: AccessItem) => ticks[id] ?? is_recent

  const reset = useMutation({
    async mutationFn({ password: newPassword, revokeAccess }: NewPasswordForm) {
      // An intruder may have added something since the list was shown. If no list can be loaded, the server chooses.
      const items = revokeAccess ? (await access.refetch()).data : undefined
      return call(resetPassword, { body: { token, newPassword, revokeAccess, remove: items?.filter(isTicked) } })
    },
    onSuccess(settled) {
      // The toast outlasts this page, which closes after a moment.
      const text = accessText(settled)
      if (text) toast.warning(text, ACCESS_SHOWN_MS)
    },
    onError(error) {
      const weak = weakPasswordText(error)
      if (weak) setError('password', { type: 'server', message: weak }, { shouldFocus: true })
    },
  })
  useRedirectAfter(reset.isSuccess, 'login', REDIRECT_DELAY_MS)
  const failureText = reset.isError && !weakPasswordText(reset.error) ? resetPasswordFailureText(reset.error) : null

  return (
    <form noValidate onSubmit={handleSubmit((values) => reset.mutate(values))} className="grid grid-cols-1 gap-4">
      {failureText && <Alert kind="error">{failureText}</Alert>}
      {failureText && DEAD_LINK_TEXTS.includes(failureText) && <NewLink />}
      {reset.isSuccess && (
        <Alert kind="success">
          Your password was changed. Taking you to the sign-in page…{' '}
          <Link {...paths.accountSecurity} className={textLinkClass}>
            See everything that can get in
          </Link>
        </Alert>
      )}
      <FormProvider {...form}>
        <NewPasswordFields label="New password" />
      </FormProvider>
      <Checkbox
        label="Also revoke access"
        hint="Choose this if somebody else may have used your account."
        {...register('revokeAccess')}
      />
      {revokeAccess && !reset.isSuccess && (
        <ChooseAccess
          access={access}
          isTicked={isTicked}
          onTick={({ id }, isChosen) => setTicks({ ...ticks, [id]: isChosen })}
        />
      )}
      <Button type="submit" busy={reset.isPending || reset.isSuccess}>
        Reset password
      </Button>
    </form>
  )
}
