import { verifyEmail } from '@portal/contract/accounts.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import { Failure as CallFailure, failureText } from '../../api/failure.ts'
import { readToken } from '../../api/token.ts'
import { paths } from '../../app/paths.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { AccountFrame } from './account-frame.tsx'

const INVALID_LINK = 'This verification link is invalid or was already used.'
const route = getRouteApi('/verify-email')

/** The link in the welcome mail leads here, signed in or not. */
export function VerifyEmailPage() {
  const { token } = route.useSearch()
  // A query, not a mutation: rendered twice it still asks once, and the token is good for one use only.
  const verification = useQuery({
    queryKey: ['accounts', 'verify-email', token],
    queryFn: () => call(verifyEmail, { body: { token: token ?? '' } }),
    enabled: token !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const onward =
    readToken() === null
      ? { link: paths.login, label: 'Sign in' }
      : { link: paths.dashboard, label: 'Go to the dashboard' }

  return (
    <AccountFrame title="Email verification">
      <div className="grid grid-cols-1 gap-4">
        {/* As high while it waits as with two lines of answer, so that nothing moves. */}
        <div className="grid min-h-15 grid-cols-1 content-center">
          {!token && <Alert kind="error">{INVALID_LINK}</Alert>}
          {token && verification.isPending && (
            <Spinner label="Verifying your email address" className="justify-start! p-0!" />
          )}
          {verification.isSuccess && <Alert kind="success">Your email address is verified. Thank you.</Alert>}
          {verification.isError && (
            <Alert kind="error">{isRefused(verification.error) ? INVALID_LINK : failureText(verification.error)}</Alert>
          )}
        </div>
        {verification.isError && !isRefused(verification.error) && (
          <Button variant="secondary" onClick={() => void verification.refetch()}>
            Try Again
          </Button>
        )}
        <Link {...onward.link} className={buttonClass('primary')}>
          {onward.label}
        </Link>
      </div>
    </AccountFrame>
  )
}

function isRefused(error: Error): boolean {
  return error instanceof CallFailure && error.status >= 400 && error.status < 500 && error.status !== 429
}
