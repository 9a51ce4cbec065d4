import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useRef } from 'react'
import { Button } from './button.tsx'
import { useFocusLeftBehind, useFocusOnceDisabled } from './keep-focus.ts'

interface PaginationProps {
  page: number
  hasNext: boolean
  onPage: (page: number) => void
}

export function Pagination({ page, hasNext, onPage }: PaginationProps) {
  const ref = useRef<HTMLElement>(null)
  const previousRef = useRef<HTMLButtonElement>(null)
  const nextRef = useRef<HTMLButtonElement>(null)
  const isFirst = page <= 1
  const keepFocusAtFirst = useFocusOnceDisabled(isFirst, nextRef)
  const keepFocusAtLast = useFocusOnceDisabled(!hasNext, previousRef)
  useFocusLeftBehind(ref)

  function handlePrevious() {
    keepFocusAtFirst()
    onPage(page - 1)
  }

  function handleNext() {
    keepFocusAtLast()
    onPage(page + 1)
  }

  return (
    <nav
      ref={ref}
      aria-label="Pagination"
      className="flex items-center justify-between gap-4 border-t border-line px-5 py-3"
    >
      <p aria-live="polite" className="text-muted tabular-nums">
        Page {page}
      </p>
      <div className="flex gap-2">
        <Button
          ref={previousRef}
          variant="secondary"
          size="small"
          icon={<ChevronLeft aria-hidden />}
          disabled={isFirst}
          onClick={handlePrevious}
        >
          Previous
        </Button>
        <Button ref={nextRef} variant="secondary" size="small" disabled={!hasNext} onClick={handleNext}>
          Next
          <ChevronRight aria-hidden />
        </Button>
      </div>
    </nav>
  )
}
