import { clsx } from 'clsx'
import { type ReactNode, useId } from 'react'

interface CardProps {
  title?: ReactNode
  description?: ReactNode
  /** A link, button or count to the right of the title. */
  action?: ReactNode
  /** False for content that has its own edges, such as a table or a list. */
  padded?: boolean
  className?: string
  bodyClassName?: string
  children: ReactNode
}

/** A card with a title is a region for screen readers. */
export function Card({ title, description, action, padded = true, className, bodyClassName, children }: CardProps) {
  const titleId = useId()
  return (
    <section className={clsx('panel', className)} aria-labelledby={title ? titleId : undefined}>
      {title && (
        <header className="flex min-h-14 items-center justify-between gap-4 border-b border-line px-5 py-2.5">
          <div className="min-w-0">
            <h2 id={titleId} className="text-[0.9375rem] font-semibold text-ink">
              {title}
            </h2>
            {description && <p className="text-muted">{description}</p>}
          </div>
          {action}
        </header>
      )}
      <div className={clsx(padded && 'p-5', bodyClassName)}>{children}</div>
    </section>
  )
}
