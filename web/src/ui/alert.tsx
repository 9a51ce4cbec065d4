import { clsx } from 'clsx'
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ToastKind } from './toast.ts'

const LOOKS: Record<ToastKind, { Icon: typeof Info; className: string }> = {
  success: { Icon: CircleCheck, className: 'bg-success-tint text-success-ink' },
  error: { Icon: CircleAlert, className: 'bg-error-tint text-error-ink' },
  warning: { Icon: TriangleAlert, className: 'bg-warning-tint text-warning-ink' },
  info: { Icon: Info, className: 'bg-brand-tint text-brand-ink' },
}

/**
 * A message that stays on the page. A screen reader reads an error out at once, and other messages at the next pause.
 */
export function Alert({ kind, className, children }: { kind: ToastKind; className?: string; children: ReactNode }) {
  const { Icon, className: colours } = LOOKS[kind]
  return (
    <div
      role={kind === 'error' ? 'alert' : 'status'}
      className={clsx('flex items-start gap-2.5 rounded-lg px-3.5 py-2.5', colours, className)}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 break-words">{children}</div>
    </div>
  )
}

/** An alert with the failed action and, if known, the reason. */
export function FailureAlert({ text, detail }: { text: string; detail?: string | undefined }) {
  return (
    <Alert kind="error">
      <p className="font-medium">{text}</p>
      {detail && detail !== text && <p>{detail}</p>}
    </Alert>
  )
}
