import { clsx } from 'clsx'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon?: ReactNode
  title: string
  text?: ReactNode
  action?: ReactNode
  /** Set this if the part around the text has a fixed height. */
  compact?: boolean
}

export function EmptyState({ icon, title, text, action, compact = false }: EmptyStateProps) {
  return (
    <div
      className={clsx('flex flex-col items-center px-6 text-center', compact ? 'h-full justify-center py-4' : 'py-10')}
    >
      {icon && (
        <span
          aria-hidden
          className="mb-4 flex size-11 items-center justify-center rounded-xl border border-line bg-sunken text-muted [&_svg]:size-5"
        >
          {icon}
        </span>
      )}
      <h3 className="font-semibold">{title}</h3>
      {text && <p className="mt-1 max-w-sm text-balance text-muted">{text}</p>}
      {action && <div className="mt-5">{action}</div>}
    </div>
  )
}
