import { INVALID_UNSUBSCRIBE_LINK, MAIL_KIND_WORDS, unsubscribe } from '@portal/contract/notifications.ts'
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

/**
 * The page behind the unsubscribe link in a mail (D73). Only a click on the button unsubscribes, because mail scanners
 * visit every link.
 */
export function UnsubscribePage() {
  const { token } = useSearch(tokenSearch)
  const ending = useMutation({ mutationFn: (body: { token: string }) => call(unsubscribe, { body }) })

  return (
    <AccountFrame
      title="Unsubscribe"
      text="Stop emails like the one that brought you here. You will still get emails about the security of your account."
      footer={
        <Link {...paths.notifications} className={textLinkClass}>
          Choose which emails you get
        </Link>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        {!token && <Alert kind="error">{INVALID_UNSUBSCRIBE_LINK}</Alert>}
        {ending.isError && (
          <Alert kind="error">
            {isRefusedLink(ending.error) ? INVALID_UNSUBSCRIBE_LINK : failureText(ending.error)}
          </Alert>
        )}
        {ending.isSuccess && (
          <Alert kind="success">
            You will get no more emails about: {ending.data.kinds.map((kind) => MAIL_KIND_WORDS[kind]).join(', ')}.
          </Alert>
        )}
        {token && !ending.isSuccess && (
          <Button busy={ending.isPending} onClick={() => ending.mutate({ token })}>
            Unsubscribe
          </Button>
        )}
      </div>
    </AccountFrame>
  )
}
