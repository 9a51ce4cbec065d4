import { confirmNewEmail } from '@portal/contract/email-address.ts'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { readToken } from '../../api/token.ts'
import { paths } from '../../app/paths.ts'
import { tokenSearch } from '../../app/token-search.ts'
import { Link } from '../../router/link.tsx'
import { useSearch } from '../../router/router-view.tsx'
import { LINK_KEY } from '../../session/forget-person.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { AccountFrame } from './account-frame.tsx'
import { INVALID_LINK, isRefusedLink, isTakenAddress } from './verification-link.ts'

/**
 * The page behind the link in the mail to a new address. Opening the page changes the address, whether or not the
 * person is signed in (D67).
 */
export function ConfirmEmailPage() {
  const { token } = useSearch(tokenSearch)
  // This is a query, not a mutation, so that a page that is rendered twice sends only one request. The query is static,
  // because the token works only once.
  const change = useQuery({
    queryKey: [LINK_KEY, 'confirm-email', token],
    queryFn: () => call(confirmNewEmail, { body: { token: token ?? '' } }),
    enabled: token !== undefined,
    staleTime: 'static',
  })
  const onward =
    readToken() === null
      ? { link: paths.login, label: 'Sign in' }
      : { link: paths.profile, label: 'Go to your profile' }

  return (
    <AccountFrame title="New email address">
      <div className="grid grid-cols-1 gap-4">
        {/* While the request runs, this area is as high as a two-line answer, so that nothing moves. */}
        <div className="grid min-h-15 grid-cols-1 content-center">
          {!token && <Alert kind="error">{INVALID_LINK}</Alert>}
          {token && change.isPending && <Spinner label="Changing your email address" className="justify-start! p-0!" />}
          {change.isSuccess && (
            <Alert kind="success">
              {`Your email address is ${change.data.already ? 'already' : 'now'} ${change.data.email}. Sign in with it from now on.`}
            </Alert>
          )}
          {change.isError && (
            <Alert kind="error">
              {isRefusedLink(change.error) && !isTakenAddress(change.error) ? INVALID_LINK : failureText(change.error)}
            </Alert>
          )}
        </div>
        {change.isError && !isRefusedLink(change.error) && (
          <Button variant="secondary" onClick={() => void change.refetch()}>
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
