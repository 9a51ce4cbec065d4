import { clsx } from 'clsx'
import type { BadgeVariant } from './badge.tsx'

const FILLS: Record<BadgeVariant, string> = {
  primary: 'bg-brand',
  success: 'bg-success-dot',
  warning: 'bg-warning-dot',
  error: 'bg-error-dot',
  secondary: 'bg-faint',
}

interface ProgressBarProps {
  label: string
  /** 0 to 100. Leave it out while the total is unknown. */
  percent?: number
  variant?: BadgeVariant
  className?: string
}

export function ProgressBar({ label, percent, variant = 'primary', className }: ProgressBarProps) {
  const isKnown = percent !== undefined
  const width = isKnown ? Math.min(100, Math.max(0, percent)) : 100
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={isKnown ? Math.round(width) : undefined}
      className={clsx(
        'h-1.5 w-full overflow-hidden rounded-full bg-line outline -outline-offset-1 outline-transparent',
        className,
      )}
    >
      <div
        className={clsx(
          'h-full rounded-full transition-[width] duration-300',
          FILLS[variant],
          !isKnown && 'animate-pulse',
        )}
        style={{ width: `${width}%` }}
      />
    </div>
  )
}
