import { ERROR_CODES } from '@portal/contract/error-codes.ts'
import { OTHER_ACTORS, SECURITY_EVENT_WORDS, type SecurityEntry } from '@portal/contract/security-log.ts'
import { formatExactTime } from '../../format/dates.ts'
import { RelativeTime, TimeBelow } from '../../ui/relative-time.tsx'
import type { TableColumn } from '../../ui/table.tsx'

/** The rows of this log always have two lines or more. */
const SEVERAL_LINES = 'one-line:py-2.5!'

export const SECURITY_COLUMNS: readonly TableColumn<SecurityEntry>[] = [
  {
    key: 'event',
    header: 'What',
    card: 'title',
    className: `${SEVERAL_LINES} wide:min-w-56`,
    cell: ({ event, subject, detail, reason }) => (
      <>
        <span className="text-sm font-medium wrap-anywhere">
          {SECURITY_EVENT_WORDS[event].text}
          {subject && `: ${subject}`}
        </span>
        {detail && <span className="block wrap-anywhere text-muted">{detail}</span>}
        {reason && <span className="block text-error-ink">{reasonText(reason)}</span>}
      </>
    ),
  },
  {
    key: 'person',
    header: 'Who',
    card: 'state',
    cell: ({ event, person }) => (
      <span className="wrap-anywhere">{person?.name ?? OTHER_ACTORS[event] ?? 'The portal’s operators'}</span>
    ),
  },
  {
    key: 'from',
    header: 'From',
    card: 'kind',
    className: SEVERAL_LINES,
    cell: ({ browser, ip }) => (
      <>
        <span className={browser ? 'block' : 'block max-wide:hidden'}>{browser ?? '—'}</span>
        {ip && <span className="block break-all text-muted tabular-nums">{ip}</span>}
      </>
    ),
  },
  {
    key: 'at',
    header: 'When',
    align: 'right',
    card: 'value',
    className: `${SEVERAL_LINES} whitespace-nowrap`,
    cell: ({ at }) => (
      <time dateTime={at} title={formatExactTime(at)}>
        <RelativeTime at={at} />
        <span className="block text-muted max-wide:hidden">
          <TimeBelow at={at} />
        </span>
      </time>
    ),
  },
]

function reasonText(code: string): string {
  return Object.entries(ERROR_CODES).find(([known]) => known === code)?.[1] ?? code
}
