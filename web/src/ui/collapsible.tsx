import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, type Ref, useId, useState } from 'react'

interface CollapsibleProps {
  title: ReactNode
  /** Stands beside the title, as a count of active filters. */
  badge?: ReactNode
  icon?: ReactNode
  defaultOpen?: boolean
  toggleRef?: Ref<HTMLButtonElement>
  className?: string
  children: ReactNode
}

/** A section that folds. Folded, its content is hidden, not gone: what was typed stays. */
export function Collapsible(props: CollapsibleProps) {
  const { title, badge, icon, defaultOpen = false, toggleRef, className, children } = props
  const [isOpen, setIsOpen] = useState(defaultOpen)
  const contentId = useId()
  return (
    <section className={clsx('panel', className)}>
      <h2>
        <button
          ref={toggleRef}
          type="button"
          aria-expanded={isOpen}
          aria-controls={contentId}
          onClick={() => setIsOpen(!isOpen)}
          className="flex min-h-12 w-full items-center gap-2.5 rounded-[inherit] px-5 text-left text-[0.9375rem] font-semibold [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted"
        >
          {icon}
          {title}
          {badge}
          <ChevronDown aria-hidden className={clsx('ml-auto transition-transform', isOpen && 'rotate-180')} />
        </button>
      </h2>
      <div id={contentId} hidden={!isOpen} className="border-t border-line p-5">
        {children}
      </div>
    </section>
  )
}
