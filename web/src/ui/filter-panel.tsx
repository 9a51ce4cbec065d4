import { SlidersHorizontal, X } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { Badge } from './badge.tsx'
import { Button } from './button.tsx'
import { Collapsible } from './collapsible.tsx'
import { useFocusOnceDisabled } from './keep-focus.ts'

interface FilterPanelProps {
  activeCount: number
  onClear: () => void
  children: ReactNode
}

/** Opens by itself where the address brings filters along. */
export function FilterPanel({ activeCount, onClear, children }: FilterPanelProps) {
  const toggleRef = useRef<HTMLButtonElement>(null)
  const isClear = activeCount === 0
  const keepFocus = useFocusOnceDisabled(isClear, toggleRef)

  function handleClear() {
    keepFocus()
    onClear()
  }

  return (
    <Collapsible
      toggleRef={toggleRef}
      title="Filters"
      icon={<SlidersHorizontal aria-hidden />}
      badge={
        activeCount > 0 && (
          <Badge variant="primary">
            <span aria-hidden>{activeCount}</span>
            <span className="sr-only">, {activeCount} active</span>
          </Badge>
        )
      }
      defaultOpen={activeCount > 0}
    >
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2 xl:grid-cols-4">{children}</div>
      <div className="mt-4 flex justify-end">
        <Button variant="ghost" size="small" icon={<X aria-hidden />} disabled={isClear} onClick={handleClear}>
          Clear Filters
        </Button>
      </div>
    </Collapsible>
  )
}
