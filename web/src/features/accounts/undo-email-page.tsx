import { undoNewEmail } from '@portal/contract/email-address.ts'
import { call } from '../../api/call.ts'
import { BackToSignIn } from './account-frame.tsx'
import { LinkFrame } from './link-frame.tsx'

/** The page for a person whose email address somebody else changed (D67). */
export function UndoEmailPage() {
  return (
    <LinkFrame
      title="Not your change?"
      text="The email address of your account was changed. If that was not you, undo it: every session ends, and we email you a link to choose a new password."
      footer={<BackToSignIn />}
      invalid="This link is invalid, was already used or has expired."
      action="Undo the change"
      variant="danger"
      act={(token) => call(undoNewEmail, { body: { token } })}
      done={({ email }) =>
        `Your email address is ${email} again. Open the link that we have mailed you to choose a new password.`
      }
    />
  )
}
