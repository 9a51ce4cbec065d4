import type { WebhookLog } from '@portal/contract/webhooks.ts'
import { clsx } from 'clsx'
import { ArrowDownLeft, ArrowUpRight, ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { paths } from '../../app/paths.ts'
import { formatExactTime } from '../../format/dates.ts'
import { Link } from '../../router/link.tsx'
import { changeMark, useChanges } from '../../ui/change-mark.ts'
import { textLinkClass } from '../../ui/description-list.tsx'
import { RelativeTime, TimeBelow } from '../../ui/relative-time.tsx'
import { LogStatus, ResponseStatus } from './log-marks.tsx'
import { isAboutDeal, logTitle } from './log-request.ts'
import { WebhookLogDetails } from './webhook-log-details.tsx'

/** A log row that a click expands. The whole row is a button, and its link lies on top of the button. */
export function WebhookLogRow({ log }: { log: WebhookLog }) {
  const [isOpen, setIsOpen] = useState(false)
  const detailsId = useId()
  const changes = useChanges(`${log.status} ${log.attempts}`, log.id)
  const isInbound = log.direction === 'inbound'
  const Direction = isInbound ? ArrowDownLeft : ArrowUpRight
  return (
    <li data-changed={changeMark(changes)} className="border-b border-line last:border-0">
      <div className="relative grid grid-cols-[1rem_minmax(0,1fr)_auto] items-start gap-x-3 gap-y-2 px-4 py-3.5 hover:bg-hover/60 lg:grid-cols-[1rem_minmax(0,1fr)_5.5rem_6rem_7rem_11.5rem] lg:items-center lg:gap-x-4 lg:px-5">
        <ChevronRight
          aria-hidden
          className={clsx('mt-0.5 size-4 text-muted transition-transform lg:mt-0', isOpen && 'rotate-90')}
        />
        <div className="min-w-0">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={detailsId}
            onClick={() => setIsOpen(!isOpen)}
            className="flex max-w-full items-center gap-1.5 rounded-sm text-left font-medium after:absolute after:inset-0"
          >
            <Direction aria-hidden className="size-3.5 shrink-0 text-muted" />
            <span className="truncate">{logTitle(log)}</span>
            <span className="sr-only">
              , {isInbound ? 'call to us' : 'delivery to you'}, {formatExactTime(log.created_at)}
            </span>
          </button>
          <p className="truncate font-mono text-xs text-muted" title={log.endpoint}>
            {log.endpoint}
          </p>
          {log.api_key && <p className="truncate text-xs text-muted">{log.api_key}</p>}
        </div>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 max-lg:col-span-2 max-lg:col-start-2 lg:contents">
          <span>
            <LogStatus status={log.status} />
          </span>
          <span>
            {log.status === 'pending' && log.attempts === 0 ? (
              <span className="text-muted">Not sent yet</span>
            ) : (
              <ResponseStatus code={log.response_status} />
            )}
          </span>
          <span className="font-mono text-xs whitespace-nowrap">
            {log.loid ? (
              <Link
                {...(isAboutDeal(log) ? paths.deal(log.loid) : paths.lead(log.loid))}
                className={clsx(textLinkClass, 'relative')}
              >
                {log.loid}
              </Link>
            ) : (
              <span className="max-lg:hidden">—</span>
            )}
          </span>
        </div>
        <time
          dateTime={log.created_at}
          className="text-right text-[0.8125rem] whitespace-nowrap text-muted max-lg:col-start-3 max-lg:row-start-1"
        >
          <span className="block">
            <RelativeTime at={log.created_at} />
          </span>
          <span className="block text-xs max-lg:hidden">
            <TimeBelow at={log.created_at} />
          </span>
        </time>
      </div>
      <div id={detailsId} hidden={!isOpen}>
        {isOpen && <WebhookLogDetails log={log} />}
      </div>
    </li>
  )
}
