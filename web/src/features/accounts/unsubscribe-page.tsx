import { INVALID_UNSUBSCRIBE_LINK, MAIL_KIND_WORDS, unsubscribe } from '@portal/contract/notifications.ts'
import { call } from '../../api/call.ts'
import { paths } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'
import { textLinkClass } from './account-frame.tsx'
import { LinkFrame } from './link-frame.tsx'

/** The page behind the unsubscribe link in a mail (D73). */
export function UnsubscribePage() {
  return (
    <LinkFrame
      title="Unsubscribe"
      text="Stop emails like the one that brought you here. You will still get emails about the security of your account."
      footer={
        <Link {...paths.notifications} className={textLinkClass}>
          Choose which emails you get
        </Link>
      }
      invalid={INVALID_UNSUBSCRIBE_LINK}
      action="Unsubscribe"
      act={(token) => call(unsubscribe, { body: { token } })}
      done={({ kinds }) =>
        `You will get no more emails about: ${kinds.map((kind) => MAIL_KIND_WORDS[kind]).join(', ')}.`
      }
    />
  )
}
