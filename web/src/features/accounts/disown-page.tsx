import { disown } from '@portal/contract/accounts.ts'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { paths } from '../../app/paths.ts'
import { tokenSearch } from '../../app/token-search.ts'
import { Link } from '../../router/link.tsx'
import { useSearch } from '../../router/router-view.tsx'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { AccountFrame, textLinkClass } from './account-frame.tsx'
import { INVALID_LINK, isRefusedLink } from './verification-link.ts'

/**
 * The page for the owner of an email address with which somebody else created an account (D52). The account is closed
 * by the button, not by the visit.
 */
export function DisownPage() {
  const { token } = useSearch(tokenSearch)
  const closing = useMutation({ mutationFn: (body: { token: string }) => call(disown, { body }) })

  return (
    <AccountFrame
      title="Not your account?"
      text="A partner account was created with your email address. If that was not you, close it. You will then get nothing more from that account, and your address and business name will be free again."
      footer={
        <Link {...paths.login} className={textLinkClass}>
          Back to sign in
        </Link>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        {!token && <Alert kind="error">{INVALID_LINK}</Alert>}
        {closing.isError && (
          <Alert kind="error">{isRefusedLink(closing.error) ? INVALID_LINK : failureText(closing.error)}</Alert>
        )}
        {closing.isSuccess && (
          <Alert kind="success">The account is closed. You will get no more emails about it.</Alert>
        )}
        {token && !closing.isSuccess && (
          <Button variant="danger" busy={closing.isPending} onClick={() => closing.mutate({ token })}>
            I did not create this account
          </Button>
        )}
      </div>
    </AccountFrame>
  )
}
