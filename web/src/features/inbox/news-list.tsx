import type { News, NewsLine } from '@portal/contract/inbox.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { paths } from '../../app/paths.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Link } from '../../router/link.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RestingRows } from '../../ui/resting-rows.tsx'
import { attentionQuery } from './attention.queries.ts'
import { Quote } from './quote.tsx'
import { UnreadDot } from './unread-mark.tsx'

interface NewsListProps {
  news: News
  onFollow?: () => void
}

/** What is new, with one line for each record. A burst of new records shares one line. */
export function NewsList({ news, onFollow }: NewsListProps) {
  const more = news.total - news.lines.length
  // What 'Needs attention' quotes is not quoted again (D127).
  const { data: attention } = useQuery({ ...attentionQuery(), enabled: false })
  const isQuoted = attention?.items.filter(({ note, request }) => note !== null || request?.reason)
  const quoted = new Set(isQuoted?.map(({ loid }) => loid))
  return (
    <>
      <RestingRows label="What is new" rows={news.lines}>
        {(line) => (
          <li key={line.id} className="border-b border-line last:border-0">
            <LineLink line={line} onFollow={onFollow}>
              <span className="flex items-baseline justify-between gap-3">
                <span className="min-w-0 truncate font-medium">
                  <UnreadDot />
                  {line.name}
                </span>
                <time
                  dateTime={line.at}
                  title={formatDateTime(line.at)}
                  className="shrink-0 text-[0.8125rem] whitespace-nowrap text-muted"
                >
                  <RelativeTime at={line.at} />
                </time>
              </span>
              <span className="block wrap-anywhere text-muted">{line.summary}</span>
              {line.quote && !quoted.has(line.loid) && <Quote by="The lender">{line.quote}</Quote>}
            </LineLink>
          </li>
        )}
      </RestingRows>
      {more > 0 && (
        <p className="border-t border-line px-5 py-3 text-[0.8125rem] text-muted">
          And {news.is_least && 'at least '}
          {formatNumber(more)} more
        </p>
      )}
    </>
  )
}

interface LineLinkProps {
  line: NewsLine
  onFollow: (() => void) | undefined
  children: ReactNode
}

/**
 * Links a line to its record's page, or to the list if the line is about a burst. A line about a removed record has no
 * link.
 */
function LineLink({ line: { about, loid }, onFollow, children }: LineLinkProps) {
  const className = 'block px-5 py-3'
  if (about === null) return <div className={className}>{children}</div>
  const list = about === 'lead' ? paths.leads : paths.deals
  const link = loid === null ? list : paths[about](loid)
  return (
    <Link {...link} onClick={onFollow} className={`${className} -outline-offset-2 transition-colors hover:bg-hover/60`}>
      {children}
    </Link>
  )
}
