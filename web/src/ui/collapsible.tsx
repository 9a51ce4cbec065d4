import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'

interface CollapsibleProps {
  title: string
  children: ReactNode
}

/** A plain part of a page that can be folded, and is open at first. Folding only hides its content, so typed text stays. */
export function Collapsible({ title, children }: CollapsibleProps) {
  const [isOpen, setIsOpen] = useState(true)
  const contentId = useId()
  return (
    <section aria-label={title}>
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={contentId}
          onClick={() => setIsOpen(!isOpen)}
          className="mb-2 flex min-h-8 w-full items-center justify-between gap-2.5 rounded-md text-left text-[0.9375rem] font-semibold"
        >
          {title}
          <ChevronDown
            aria-hidden
            className={clsx('size-4 shrink-0 text-muted transition-transform', isOpen && 'rotate-180')}
          />
        </button>
      </h2>
      <div id={contentId} hidden={!isOpen} className="border-t border-line pt-4">
        {children}
      </div>
    </section>
  )
}
