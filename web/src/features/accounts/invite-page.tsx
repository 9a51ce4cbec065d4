import { zodResolver } from '@hookform/resolvers/zod'
import type { BegunSession } from '@portal/contract/accounts.ts'
import { type AcceptInvitation, acceptInvitation, INVALID_INVITATION, readInvitation } from '@portal/contract/team.ts'
import { type UseMutationResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import * as z from 'zod/mini'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { readToken } from '../../api/token.ts'
import { paths } from '../../app/paths.ts'
import { tokenSearch } from '../../app/token-search.ts'
import { Link } from '../../router/link.tsx'
import { useSearch } from '../../router/router-view.tsx'
import { beginSession } from '../../session/begin-session.ts'
import { LINK_KEY } from '../../session/forget-person.ts'
import { PrivacyNotice } from '../../session/privacy-notice.tsx'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure as FailureNote } from '../../ui/failure.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.ts'
import { AccountFrame, textLinkClass } from './account-frame.tsx'
import { weakPasswordText } from './failure-texts.ts'
import { newPasswordShape, passwordsMatch } from './new-password.ts'
import { NewPasswordFields } from './new-password-fields.tsx'
import { useRedirectAfter } from './use-redirect-after.ts'
import { isRefusedLink } from './verification-link.ts'

const REDIRECT_DELAY_MS = 500
/**
 * The page behind the link in an invitation mail, for signed-in and signed-out people. The invitation is accepted by
 * the button, not by the visit.
 */
export function InvitePage() {
  const { token } = useSearch(tokenSearch)
  const queryClient = useQueryClient()
  const accept = useMutation({
    mutationFn: (body: AcceptInvitation) => call(acceptInvitation, { body }),
    onSuccess(begun) {
      beginSession(queryClient, begun)
      toast.success(`Welcome to ${begun.partner.businessName}!`)
    },
  })
  useRedirectAfter(accept.isSuccess, 'dashboard', REDIRECT_DELAY_MS)
  const invitation = useQuery({
    queryKey: [LINK_KEY, 'invitation', token],
    queryFn: ({ signal }) => call(readInvitation, { body: { token: token ?? '' }, signal }),
    // An accepted invitation no longer exists.
    enabled: token !== undefined && !accept.isSuccess,
  })
  const { data } = invitation

  return (
    <AccountFrame
      title={data ? `Join ${data.businessName}` : 'Your invitation'}
      text={
        data &&
        `Hello${data.firstName ? ` ${data.firstName}` : ''}, choose a password for ${data.email}, and you are in.`
      }
      footer={
        <>
          Already have an account?{' '}
          <Link {...paths.login} className={textLinkClass}>
            Sign in
          </Link>
        </>
      }
    >
      {accept.isSuccess ? (
        <Spinner label="Signing in" />
      ) : token === undefined || (invitation.isError && isRefusedLink(invitation.error)) ? (
        <Alert kind="error">{INVALID_INVITATION}</Alert>
      ) : data ? (
        <AcceptForm token={token} email={data.email} accept={accept} />
      ) : invitation.isError ? (
        <FailureNote text={failureText(invitation.error)} onRetry={() => void invitation.refetch()} />
      ) : (
        <Spinner label="Looking for the invitation" />
      )}
    </AccountFrame>
  )
}

const AcceptFormValues = z
  .object(newPasswordShape({ password: 'Password is required', confirmation: 'Password confirmation is required' }))
  .check(passwordsMatch())

interface AcceptFormProps {
  token: string
  email: string
  accept: UseMutationResult<BegunSession, Error, AcceptInvitation>
}

function AcceptForm({ token, email, accept }: AcceptFormProps) {
  const [isSignedIn] = useState(() => readToken() !== null)
  const form = useForm({
    mode: 'onTouched',
    resolver: zodResolver(AcceptFormValues),
    defaultValues: { password: '', confirmPassword: '' },
  })

  function handleError(error: Error) {
    const weak = weakPasswordText(error)
    if (weak) form.setError('password', { type: 'server', message: weak }, { shouldFocus: true })
  }

  return (
    <form
      noValidate
      onSubmit={form.handleSubmit((values) =>
        accept.mutate({ token, password: values.password }, { onError: handleError }),
      )}
      className="grid grid-cols-1 gap-4"
    >
      {accept.isError && !weakPasswordText(accept.error) && <Alert kind="error">{failureText(accept.error)}</Alert>}
      {isSignedIn && (
        <Alert kind="info">You are already signed in. Accepting this invitation signs you in as {email} instead.</Alert>
      )}
      {/* Tells password managers whose password this is. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <FormProvider {...form}>
        <NewPasswordFields label="Password" required />
      </FormProvider>
      <PrivacyNotice whose="your" className="text-muted" />
      <Button type="submit" busy={accept.isPending}>
        Accept Invitation
      </Button>
    </form>
  )
}
