import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon?: ReactNode
  title: string
  text?: ReactNode
  action?: ReactNode
}

export function EmptyState({ icon, title, text, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center px-6 py-14 text-center">
      {icon && (
        <span
          aria-hidden
          className="mb-4 flex size-11 items-center justify-center rounded-xl border border-line bg-sunken text-muted [&_svg]:size-5"
        >
          {icon}
        </span>
      )}
      <h3 className="text-[0.9375rem] font-semibold">{title}</h3>
      {text && <p className="mt-1 max-w-sm text-balance text-muted">{text}</p>}
      {action && <div className="mt-5">{action}</div>}
    </div>
  )
}
