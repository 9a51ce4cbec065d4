import { verifyEmail } from '@portal/contract/accounts.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { readToken } from '../../api/token.ts'
import { paths } from '../../app/paths.ts'
import { tokenSearch } from '../../app/token-search.ts'
import { Link } from '../../router/link.tsx'
import { useSearch } from '../../router/router-view.tsx'
import { LINK_KEY } from '../../session/forget-person.ts'
import { sessionQuery } from '../../session/session.queries.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { AccountFrame, textLinkClass } from './account-frame.tsx'
import { INVALID_LINK, isRefusedLink, wantsPassword } from './verification-link.ts'

const ALREADY_VERIFIED = 'Your email address is already verified.'

/**
 * The page behind the link in a mail that asks the person to confirm the address, such as the welcome mail. It is for
 * signed-in and signed-out people. Besides the link, the server needs the account's session or password (D52).
 */
export function VerifyEmailPage() {
  const { token } = useSearch(tokenSearch)
  const queryClient = useQueryClient()
  // This is a query, not a mutation, so that a page that is rendered twice sends only one request. The query is static,
  // because the token works only once.
  const verification = useQuery({
    queryKey: [LINK_KEY, 'verify-email', token],
    queryFn: async () => {
      const verified = await call(verifyEmail, { body: { token: token ?? '' } })
      // The session was fetched when this page opened, and says that the address must still be confirmed.
      void queryClient.invalidateQueries({ queryKey: sessionQuery().queryKey })
      return verified
    },
    enabled: token !== undefined,
    staleTime: 'static',
  })
  const [isConfirmed, setIsConfirmed] = useState(false)
  const isAlready = verification.data?.already === true
  const isVerified = verification.isSuccess || isConfirmed
  const isPasswordWanted = !isVerified && wantsPassword(verification.error)
  const onward =
    readToken() === null
      ? { link: paths.login, label: 'Sign in' }
      : { link: paths.dashboard, label: 'Go to the dashboard' }

  return (
    <AccountFrame
      title="Email verification"
      footer={
        token &&
        isPasswordWanted && (
          <Link {...paths.disown(token)} className={textLinkClass}>
            I did not create this account
          </Link>
        )
      }
    >
      <div className="grid grid-cols-1 gap-4">
        {/* While the request runs, this area is as high as a two-line answer, so that nothing moves. */}
        <div className="grid min-h-15 grid-cols-1 content-center">
          {!token && <Alert kind="error">{INVALID_LINK}</Alert>}
          {token && verification.isPending && (
            <Spinner label="Verifying your email address" className="justify-start! p-0!" />
          )}
          {isVerified && (
            <Alert kind="success">{isAlready ? ALREADY_VERIFIED : 'Your email address is verified. Thank you.'}</Alert>
          )}
          {isPasswordWanted && <p>Enter the password of your account to confirm its email address.</p>}
          {verification.isError && !isVerified && !isPasswordWanted && (
            <Alert kind="error">
              {isRefusedLink(verification.error) ? INVALID_LINK : failureText(verification.error)}
            </Alert>
          )}
        </div>
        {token && isPasswordWanted && <PasswordQuestion token={token} onConfirmed={() => setIsConfirmed(true)} />}
        {verification.isError && !isRefusedLink(verification.error) && (
          <Button variant="secondary" onClick={() => void verification.refetch()}>
            Try Again
          </Button>
        )}
        {!isPasswordWanted && (
          <Link {...onward.link} className={buttonClass('primary')}>
            {onward.label}
          </Link>
        )}
      </div>
    </AccountFrame>
  )
}

function PasswordQuestion({ token, onConfirmed }: { token: string; onConfirmed: () => void }) {
  const [password, setPassword] = useState('')
  const verification = useMutation({
    mutationFn: () => call(verifyEmail, { body: { token, password } }),
    onSuccess: onConfirmed,
  })
  const { error } = verification

  function handleSubmit(event: SubmitEvent) {
    event.preventDefault()
    if (password !== '') verification.mutate()
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="grid grid-cols-1 gap-4">
      {error && !wantsPassword(error) && (
        <Alert kind="error">{isRefusedLink(error) ? INVALID_LINK : failureText(error)}</Alert>
      )}
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        value={password}
        error={wantsPassword(error) ? failureText(error) : undefined}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Button type="submit" disabled={password === ''} busy={verification.isPending}>
        Confirm email address
      </Button>
    </form>
  )
}
