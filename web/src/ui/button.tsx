import { clsx } from 'clsx'
import { LoaderCircle } from 'lucide-react'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'
export type ButtonSize = 'small' | 'medium' | 'icon'

/** A button that cannot be used yet is grey, so that it does not look like a faded one. */
const OFF = 'disabled:border-transparent disabled:bg-hover disabled:text-faint disabled:shadow-none'

const VARIANTS: Record<ButtonVariant, string> = {
  primary: `border border-transparent bg-brand text-on-brand shadow-xs hover:bg-brand-hover ${OFF}`,
  secondary: `border border-line-strong bg-surface text-ink shadow-xs hover:bg-hover ${OFF}`,
  ghost: 'border border-transparent text-muted hover:bg-hover hover:text-ink disabled:opacity-50',
  danger: `border border-transparent bg-danger text-white shadow-xs hover:bg-danger-hover ${OFF}`,
}

const SIZES: Record<ButtonSize, string> = {
  small: 'h-8 px-3 text-[0.8125rem] pointer-coarse:h-10',
  medium: 'h-9 px-4 text-sm pointer-coarse:h-11',
  icon: 'size-9 shrink-0 pointer-coarse:size-11',
}

/** The style of a button, for links that act as one. */
export function buttonClass(variant: ButtonVariant = 'primary', size: ButtonSize = 'medium', className?: string) {
  return clsx(
    'inline-flex items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap select-none transition-colors duration-100',
    // With a large text on a small screen, the name may take several lines.
    'max-[20rem]:h-auto max-[20rem]:min-h-9 max-[20rem]:whitespace-normal',
    'disabled:pointer-events-none aria-disabled:opacity-60 [&_svg]:size-4 [&_svg]:shrink-0',
    VARIANTS[variant],
    SIZES[size],
    className,
  )
}

export interface ButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant
  size?: ButtonSize
  icon?: ReactNode
  /**
   * Shows a spinner in place of the icon, or of the label if there is no icon, and ignores clicks. The button keeps its
   * size, its name and the focus.
   */
  busy?: boolean
  /** Like `disabled`, but the button keeps the focus. Set it if a click leaves the button with nothing more to do. */
  idle?: boolean
}

/** An icon-only button needs an `aria-label`. */
export function Button(props: ButtonProps) {
  const { variant, size, icon, busy, idle, className, children, onClick, onMouseDown, ...rest } = props
  const isOff = busy || idle
  const isLabelHidden = busy && !icon
  return (
    <button
      type="button"
      aria-busy={busy || undefined}
      // `disabled` would remove the focus, and nothing would restore it afterwards.
      aria-disabled={isOff || undefined}
      className={buttonClass(variant, size, clsx(isLabelHidden && 'relative', className))}
      onClick={isOff ? prevent : onClick}
      onMouseDown={rest.type === 'submit' ? prevent : onMouseDown}
      {...rest}
    >
      {busy ? <LoaderCircle aria-hidden className={clsx('animate-spin', isLabelHidden && 'absolute')} /> : icon}
      {isLabelHidden ? <span className="opacity-0">{children}</span> : children}
    </button>
  )
}

/**
 * Prevents the default action. On a click, this stops the form's submission. On the press before the click, it keeps
 * the focus in the field. A field that lost the focus would check itself, and its message would push the button away
 * from under the pointer before the click is complete.
 */
function prevent(event: MouseEvent) {
  event.preventDefault()
}
