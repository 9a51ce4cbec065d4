import { PenLine, RotateCw, Send } from 'lucide-react'
import { paths } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'
import { Section } from '../../ui/card.tsx'
import { textLinkClass } from '../../ui/description-list.tsx'
import { IconList, type IconListItem } from '../../ui/icon-list.tsx'

const PARTS: readonly IconListItem[] = [
  {
    Icon: Send,
    title: 'What is sent',
    text: 'A POST with a JSON body – type, timestamp and data – for each event of a lead, deal or note. It names the LOID, never an email address, phone number or ABN.',
  },
  {
    Icon: PenLine,
    title: 'How it is signed',
    text: 'With your signing secret, as the Standard Webhooks specification describes. The headers are webhook-id, webhook-timestamp and webhook-signature.',
  },
  {
    Icon: RotateCw,
    title: 'When it is sent again',
    text: 'A delivery counts as received if your server answers 2xx within 15 seconds. Otherwise we try again after 5 seconds, then 5 and 30 minutes, then 2, 5, 10, 14, 20 and 24 hours. The same webhook-id may come twice. We disable a URL if it answers 410, or if every attempt fails for 5 days.',
  },
]

/** Explains what a partner must know to receive deliveries. */
export function DeliveryGuide() {
  return (
    <Section title="How deliveries work">
      <IconList items={PARTS} className="gap-x-8 sm:grid-cols-3" />
      <p className="mt-5">
        <Link {...paths.apiDocs} hash="webhooks" className={textLinkClass}>
          Events and signature checks in the API Docs
        </Link>
      </p>
    </Section>
  )
}
