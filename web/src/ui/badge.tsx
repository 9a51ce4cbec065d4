import { clsx } from 'clsx'
import type { ReactNode } from 'react'

export type BadgeVariant = 'primary' | 'success' | 'warning' | 'error' | 'secondary'

/** No variant wears the lender's colour, because it could be like another one (D115). */
const TINTS: Record<BadgeVariant, string> = {
  primary: 'bg-primary-tint text-primary-ink',
  success: 'bg-success-tint text-success-ink',
  warning: 'bg-warning-tint text-warning-ink',
  error: 'bg-error-tint text-error-ink',
  secondary: 'bg-hover text-muted',
}

const DOTS: Record<BadgeVariant, string> = {
  primary: 'bg-primary-dot',
  success: 'bg-success-dot',
  warning: 'bg-warning-dot',
  error: 'bg-error-dot',
  secondary: 'bg-faint',
}

interface BadgeProps {
  variant?: BadgeVariant
  dot?: boolean
  className?: string
  children: ReactNode
}

export function Badge({ variant = 'secondary', dot = false, className, children }: BadgeProps) {
  return (
    <span
      data-variant={variant}
      className={clsx(
        'inline-flex max-w-full items-center gap-1.5 rounded-md px-2 py-0.5 text-xs outline -outline-offset-1 outline-transparent font-medium whitespace-nowrap',
        TINTS[variant],
        className,
      )}
    >
      {dot && <span aria-hidden className={clsx('size-1.5 shrink-0 rounded-full', DOTS[variant])} />}
      <span className="truncate">{children}</span>
    </span>
  )
}
