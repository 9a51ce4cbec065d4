import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { failureText } from '../../api/failure.ts'
import { tokenSearch } from '../../app/token-search.ts'
import { useSearch } from '../../router/router-view.tsx'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { AccountFrame } from './account-frame.tsx'
import { isRefusedLink } from './verification-link.ts'

interface LinkFrameProps<Done> {
  title: string
  text: string
  footer: ReactNode
  /** What is said of a link that is refused. */
  invalid: string
  /** The words of the button. */
  action: string
  variant?: 'primary' | 'danger'
  act: (token: string) => Promise<Done>
  /** What is said when it is done. */
  done: (answer: Done) => string
}

/**
 * The page behind a link in a mail that does something. Only a click on the button does it, because mail scanners visit
 * every link.
 */
export function LinkFrame<Done>(props: LinkFrameProps<Done>) {
  const { title, text, footer, invalid, action, variant = 'primary', act, done } = props
  const { token } = useSearch(tokenSearch)
  const acting = useMutation({ mutationFn: act })

  return (
    <AccountFrame title={title} text={text} footer={footer}>
      <div className="grid grid-cols-1 gap-4">
        {!token && <Alert kind="error">{invalid}</Alert>}
        {acting.isError && (
          <Alert kind="error">{isRefusedLink(acting.error) ? invalid : failureText(acting.error)}</Alert>
        )}
        {acting.isSuccess && <Alert kind="success">{done(acting.data)}</Alert>}
        {token && !acting.isSuccess && (
          <Button variant={variant} busy={acting.isPending} onClick={() => acting.mutate(token)}>
            {action}
          </Button>
        )}
      </div>
    </AccountFrame>
  )
}
