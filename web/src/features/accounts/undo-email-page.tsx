import { undoNewEmail } from '@portal/contract/email-address.ts'
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
import { isRefusedLink } from './verification-link.ts'

const INVALID_LINK = 'This link is invalid, was already used or has expired.'

/**
 * The page for a person whose email address somebody else changed (D67). Only a click on the button undoes the change,
 * because mail scanners visit every link.
 */
export function UndoEmailPage() {
  const { token } = useSearch(tokenSearch)
  const undoing = useMutation({ mutationFn: (body: { token: string }) => call(undoNewEmail, { body }) })

  return (
    <AccountFrame
      title="Not your change?"
      text="The email address of your account was changed. If that was not you, undo it: every session ends, and we email you a link to choose a new password."
      footer={
        <Link {...paths.login} className={textLinkClass}>
          Back to sign in
        </Link>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        {!token && <Alert kind="error">{INVALID_LINK}</Alert>}
        {undoing.isError && (
          <Alert kind="error">{isRefusedLink(undoing.error) ? INVALID_LINK : failureText(undoing.error)}</Alert>
        )}
        {undoing.isSuccess && (
          <Alert kind="success">
            Your email address is {undoing.data.email} again. Open the link that we have mailed you to choose a new
            password.
          </Alert>
        )}
        {token && !undoing.isSuccess && (
          <Button variant="danger" busy={undoing.isPending} onClick={() => undoing.mutate({ token })}>
            Undo the change
          </Button>
        )}
      </div>
    </AccountFrame>
  )
}
