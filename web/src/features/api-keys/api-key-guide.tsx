import { API_CALLS_PER_MINUTE } from '@portal/contract/limits.ts'
import { Gauge, KeyRound, Link2, ListChecks, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { paths } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'
import { Section } from '../../ui/card.tsx'
import { textLinkClass } from '../../ui/description-list.tsx'
import { IconList, type IconListItem } from '../../ui/icon-list.tsx'

const PARTS: readonly IconListItem[] = [
  {
    Icon: KeyRound,
    title: 'Authentication',
    text: (
      <>
        Send the key in a header with each call:
        <Mono>Authorization: Bearer &lt;YOUR_API_KEY&gt;</Mono>
      </>
    ),
  },
  {
    Icon: Link2,
    title: 'Endpoints',
    text: (
      <>
        <Mono>POST /api/partner/leads</Mono>
        <Mono>GET /api/partner/docs</Mono>
        <Mono>GET /api/partner/events</Mono>
      </>
    ),
  },
  {
    Icon: ListChecks,
    title: 'Required',
    text: 'A business name, and a phone number or an email address. All other fields are optional.',
  },
  {
    Icon: Gauge,
    title: 'Limits',
    text: `${API_CALLS_PER_MINUTE} calls a minute. Each answer carries RateLimit headers; on a 429, Retry-After says when to try again.`,
  },
  {
    Icon: ShieldCheck,
    title: 'Keep it secret',
    text: 'A key belongs on a server, never in a web page or an app. Anyone who has it can do in your name what it may do.',
  },
]

/** Enough documentation for a first call. */
export function ApiKeyGuide() {
  return (
    <Section title="Using your key" className="self-start">
      <IconList items={PARTS} className="sm:max-xl:grid-cols-2 sm:max-xl:gap-6" />
      <p className="mt-5">
        <Link {...paths.apiDocs} className={textLinkClass}>
          Everything else is in the API Docs
        </Link>
      </p>
    </Section>
  )
}

function Mono({ children }: { children: ReactNode }) {
  return <code className="mt-1 block font-mono text-xs break-words text-ink">{children}</code>
}
