import { disown } from '@portal/contract/accounts.ts'
import { call } from '../../api/call.ts'
import { BackToSignIn } from './account-frame.tsx'
import { LinkFrame } from './link-frame.tsx'
import { INVALID_LINK } from './verification-link.ts'

/** The page for the owner of an email address with which somebody else created an account (D52). */
export function DisownPage() {
  return (
    <LinkFrame
      title="Not your account?"
      text="A partner account was created with your email address. If that was not you, close it. You will then get nothing more from that account, and your address and business name will be free again."
      footer={<BackToSignIn />}
      invalid={INVALID_LINK}
      action="I did not create this account"
      variant="danger"
      act={(token) => call(disown, { body: { token } })}
      done={() => 'The account is closed. You will get no more emails about it.'}
    />
  )
}
