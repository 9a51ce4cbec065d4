import { clsx } from 'clsx'
import type { ReactNode } from 'react'

/** The class of a column that takes the room that other columns leave. Longer content is cut, with the whole in its title. */
export const flexibleClass = 'wide:max-w-0'

/** On paper there is no title to read the rest from. */
const CUT = 'block truncate print:overflow-visible print:whitespace-normal'

interface NameCellProps {
  /** The whole content, because a row of one line shortens it. */
  title: string
  children: ReactNode
  detail: ReactNode
  /** How much of a row of one line the detail keeps, however long the name is. */
  detailClass?: string
}

/** The name of a record and the person behind it: side by side in a row of one line, otherwise one below the other. */
export function NameCell({ title, children, detail, detailClass = 'one-line:min-w-6' }: NameCellProps) {
  return (
    <span title={title} className="block one-line:flex one-line:items-baseline one-line:gap-2">
      <span className={clsx(CUT, 'text-sm font-medium')}>{children}</span>
      {detail && <span className={clsx(CUT, 'text-muted one-line:flex-1', detailClass)}>{detail}</span>}
    </span>
  )
}

/** An email address and a phone number. In a row of one line the address is shortened before the number is. */
export function ContactCell({ email, phone }: { email: string | null; phone: string }) {
  return (
    <span
      title={[email, phone].filter(Boolean).join(', ')}
      className="block max-sm:flex max-sm:justify-between max-sm:gap-4 one-line:flex one-line:items-baseline one-line:gap-2"
    >
      <span className={clsx(CUT, 'one-line:min-w-0')}>{email ?? '—'}</span>
      <span className="block shrink-0 whitespace-nowrap text-muted">{phone || '—'}</span>
    </span>
  )
}

/** A text that is cut if its column is narrower. */
export function TextCell({ children }: { children: string | null }) {
  return (
    <span className={CUT} title={children ?? undefined}>
      {children ?? '—'}
    </span>
  )
}

interface StateCellProps {
  /** The badge of a status or stage. */
  badge: ReactNode
  /** A badge or button beside it. */
  mark?: ReactNode
  /** A small text beside the badge on a phone, and below it on wider screens. */
  detail?: ReactNode
  /** A small text of its own line; it is left out in a row of one line. */
  extra?: ReactNode
}

export function StateCell({ badge, mark, detail, extra }: StateCellProps) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1 sm:flex-col sm:items-start wide:flex-col wide:items-start one-line:gap-0.5 one-line:*:py-0">
      {badge}
      {mark}
      {extra && <span className="flex w-full max-w-48 max-sm:hidden one-line:hidden">{extra}</span>}
      {detail && <span className="flex one-line:pl-2">{detail}</span>}
    </span>
  )
}

/** A day, and the initials of the person who did something on it. */
export function DayCell({ day, by }: { day: string; by?: string | null }) {
  return (
    <span className="whitespace-nowrap">
      {day}
      {by && (
        <>
          <span className="sr-only"> by {by}</span>
          <span
            aria-hidden
            title={`by ${by}`}
            className="ml-1.5 inline-flex h-5 min-w-5 items-center max-sm:h-4 max-sm:min-w-4 justify-center rounded-full bg-hover px-1 text-[0.625rem] font-medium text-muted"
          >
            {initialsOf(by)}
          </span>
        </>
      )}
    </span>
  )
}

/** The first letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(Boolean)
  const [first = ''] = words[0] ?? ''
  const [last = ''] = words.length > 1 ? (words.at(-1) ?? '') : ''
  return `${first}${last}`.toUpperCase()
}
