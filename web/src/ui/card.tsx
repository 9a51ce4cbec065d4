import { clsx } from 'clsx'
import { type ReactNode, useId } from 'react'

interface PartProps {
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

/** A raised part of a page, for what a person acts on. With a title it is a region for screen readers. */
export function Card({ title, description, action, padded = true, className, bodyClassName, children }: PartProps) {
  const titleId = useId()
  return (
    <section className={clsx('panel', className)} aria-labelledby={title ? titleId : undefined}>
      {title && <PartHeader {...{ titleId, title, description, action }} className="px-5 pt-4" />}
      <div className={clsx(padded ? 'px-5 pb-5' : title && 'pt-2', padded && (title ? 'pt-3' : 'pt-5'), bodyClassName)}>
        {children}
      </div>
    </section>
  )
}

/**
 * A plain part of a page, for what a person reads: a small heading on the page itself. Content with edges of its own
 * gets a flat frame.
 */
export function Section({ title, description, action, padded = true, className, bodyClassName, children }: PartProps) {
  const titleId = useId()
  return (
    <section className={className} aria-labelledby={title ? titleId : undefined}>
      {title && <PartHeader {...{ titleId, title, description, action }} className="mb-2" />}
      <div className={clsx(padded ? 'border-t border-line pt-4' : 'frame', bodyClassName)}>{children}</div>
    </section>
  )
}

interface PartHeaderProps extends Pick<PartProps, 'title' | 'description' | 'action'> {
  titleId: string
  className: string
}

function PartHeader({ titleId, title, description, action, className }: PartHeaderProps) {
  return (
    <header
      className={clsx(
        'flex min-h-8 items-center justify-between gap-x-4 gap-y-1',
        // A description wraps beside the action, but a title has one line.
        !description && 'flex-wrap',
        className,
      )}
    >
      <div className="min-w-0">
        <h2 id={titleId} className="text-[0.9375rem] font-semibold text-ink">
          {title}
        </h2>
        {description && <p className="text-muted">{description}</p>}
      </div>
      {action}
    </header>
  )
}
