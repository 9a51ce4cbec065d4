import { clsx } from 'clsx'
import { ChevronDown, SlidersHorizontal, X } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import { Badge } from './badge.tsx'
import { Button, buttonClass } from './button.tsx'
import { useFocusOnceDisabled } from './keep-focus.ts'

interface FilterPanelProps {
  activeCount: number
  onClear: () => void
  children: ReactNode
}

/**
 * A button for a `ListBar`, and the panel that it unfolds below the bar. The panel starts open if the address has
 * filters. Closing it only hides its fields, so typed text stays.
 */
export function FilterPanel({ activeCount, onClear, children }: FilterPanelProps) {
  const [isOpen, setIsOpen] = useState(activeCount > 0)
  const contentId = useId()
  const toggleRef = useRef<HTMLButtonElement>(null)
  const isClear = activeCount === 0
  const keepFocus = useFocusOnceDisabled(isClear, toggleRef)

  function handleClear() {
    keepFocus()
    onClear()
  }

  return (
    <>
      <h2>
        <button
          ref={toggleRef}
          type="button"
          aria-expanded={isOpen}
          aria-controls={contentId}
          onClick={() => setIsOpen(!isOpen)}
          className={buttonClass('secondary', 'medium', 'max-sm:px-3!')}
        >
          <SlidersHorizontal aria-hidden />
          <span className="max-sm:sr-only">Filters</span>
          {activeCount > 0 && (
            <Badge variant="primary">
              <span aria-hidden>{activeCount}</span>
              <span className="sr-only">, {activeCount} active</span>
            </Badge>
          )}
          <ChevronDown
            aria-hidden
            className={clsx('text-muted transition-transform max-sm:hidden', isOpen && 'rotate-180')}
          />
        </button>
      </h2>
      <div
        id={contentId}
        hidden={!isOpen}
        className="panel grid basis-full grid-cols-1 items-end gap-4 p-4 sm:grid-cols-2 xl:grid-cols-5"
      >
        {children}
        <Button
          variant="ghost"
          className="order-2 justify-self-end sm:max-xl:col-span-2 xl:col-[-2/-1]"
          icon={<X aria-hidden />}
          disabled={isClear}
          onClick={handleClear}
        >
          Clear Filters
        </Button>
      </div>
    </>
  )
}
