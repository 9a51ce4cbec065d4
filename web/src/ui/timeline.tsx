import { clsx } from 'clsx'
import { type ReactNode, useState } from 'react'
import type { BadgeVariant } from './badge.tsx'
import { changeMark } from './change-mark.ts'

export interface TimelineItem {
  key: string
  title: ReactNode
  /** One line below the title: time, person, duration. */
  detail?: ReactNode
  text?: ReactNode
  variant?: BadgeVariant
}

const DOTS: Record<BadgeVariant, string> = {
  primary: 'bg-brand',
  success: 'bg-success-dot',
  warning: 'bg-warning-dot',
  error: 'bg-error-dot',
  secondary: 'bg-faint',
}

/**
 * Events along a line, the latest first. An event that arrives while the page is open is marked. Use another `key` for
 * another record.
 */
export function Timeline({ label, items }: { label: string; items: readonly TimelineItem[] }) {
  const [known] = useState(() => new Set(items.map(({ key }) => key)))
  return (
    <ol aria-label={label}>
      {items.map(({ key, title, detail, text, variant = 'secondary' }, position) => (
        <li
          key={key}
          data-changed={known.has(key) ? undefined : changeMark(1)}
          className="group relative flex gap-3.5 pb-5 last:pb-0"
        >
          <span aria-hidden className="absolute top-3 -bottom-1 left-[0.34375rem] w-px bg-line group-last:hidden" />
          <span
            aria-hidden
            className={clsx(
              'relative mt-1 size-3 shrink-0 rounded-full border-2 border-surface',
              DOTS[variant],
              position === 0 && 'ring-2 ring-line-strong',
            )}
          />
          <div className="min-w-0 flex-1">
            <div className="flex flex-wrap items-center gap-2 font-medium">{title}</div>
            {detail && <p className="mt-0.5 text-xs text-muted tabular-nums">{detail}</p>}
            {text && <p className="mt-1 break-words whitespace-pre-line">{text}</p>}
          </div>
        </li>
      ))}
    </ol>
  )
}
