import type { News } from '@portal/contract/inbox.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { CircleCheck } from 'lucide-react'
import { paths } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'
import { Section } from '../../ui/card.tsx'
import { MarkAllRead } from './mark-all-read.tsx'
import { NewsList } from './news-list.tsx'

const SHOWN = 5

/** The news without what 'Needs attention' tells, so that nothing is told twice (D127). */
export function untoldNews(news: News): News {
  const lines = news.lines.filter((line) => !line.needs_attention)
  const untold = lines
    .map((line) => ({ ...line, summary: line.untold_summary, at: line.untold_at }))
    .toSorted((one, other) => other.at.localeCompare(one.at))
  return { ...news, lines: untold.slice(0, SHOWN), total: news.total - (news.lines.length - lines.length) }
}

/** What happened since the person last looked. `untold` is what other parts of the page do not tell. */
export function NewsSection({ news, untold }: { news: News; untold: News }) {
  return (
    <Section
      padded={false}
      title={
        <>
          Since you were here{' '}
          <span className="ml-1 font-medium text-muted tabular-nums">
            {formatNumber(untold.total)}
            {untold.is_least && '+'}
          </span>
        </>
      }
      action={
        // The text of the button ends where those of other sections end.
        <span className="-mr-2">
          <MarkAllRead news={news} />
        </span>
      }
    >
      <NewsList news={untold} />
    </Section>
  )
}

/** One line for when nothing is new, or nothing but what 'Needs attention' tells. */
export function NoNewsLine({ news }: { news: News }) {
  return (
    <p className="flex items-center gap-2">
      <CircleCheck aria-hidden className="size-4 shrink-0 text-success-dot" />
      <span>
        Nothing {news.total > 0 && 'else '}new since you were here ·{' '}
        <Link {...paths.activity} className="font-medium text-brand-ink underline-offset-4 hover:underline">
          All activity
        </Link>
      </span>
    </p>
  )
}
