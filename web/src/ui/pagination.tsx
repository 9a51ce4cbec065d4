import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight } from 'lucide-react'
import { useRef } from 'react'
import { lastPageOf, pageRangeText } from '../format/count.ts'
import { Button } from './button.tsx'
import { useFocusLeftBehind, useFocusOnceDisabled } from './keep-focus.ts'

interface PaginationProps {
  page: number
  hasNext: boolean
  /** The rows of this page, and how many there are in all, if the list knows (D80). */
  range?: { rows: number; total: number | undefined }
  onPage: (page: number) => void
}

export function Pagination({ page, hasNext, range, onPage }: PaginationProps) {
  const ref = useRef<HTMLElement>(null)
  const previousRef = useRef<HTMLButtonElement>(null)
  const nextRef = useRef<HTMLButtonElement>(null)
  const isFirst = page <= 1
  const keepFocusAtFirst = useFocusOnceDisabled(isFirst, nextRef)
  const keepFocusAtLast = useFocusOnceDisabled(!hasNext, previousRef)
  useFocusLeftBehind(ref)
  const total = range?.total
  const lastPage = total === undefined ? undefined : lastPageOf(total)

  function handleBack(to: number) {
    keepFocusAtFirst()
    onPage(to)
  }

  function handleForward(to: number) {
    keepFocusAtLast()
    onPage(to)
  }

  return (
    <nav
      ref={ref}
      aria-label="Pagination"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line px-5 py-3 max-sm:px-4"
    >
      <p aria-live="polite" className="text-muted tabular-nums">
        {range?.rows && total ? pageRangeText(page, range.rows, total) : `Page ${page}`}
      </p>
      <div className="flex gap-2">
        {total !== undefined && (
          <Button
            variant="secondary"
            size="small"
            aria-label="First page"
            title="First page"
            icon={<ChevronsLeft aria-hidden />}
            disabled={isFirst}
            onClick={() => handleBack(1)}
          />
        )}
        <Button
          ref={previousRef}
          variant="secondary"
          size="small"
          icon={<ChevronLeft aria-hidden className="max-sm:hidden" />}
          disabled={isFirst}
          onClick={() => handleBack(page - 1)}
        >
          Previous
        </Button>
        <Button
          ref={nextRef}
          variant="secondary"
          size="small"
          disabled={!hasNext}
          onClick={() => handleForward(page + 1)}
        >
          Next
          <ChevronRight aria-hidden className="max-sm:hidden" />
        </Button>
        {lastPage !== undefined && (
          <Button
            variant="secondary"
            size="small"
            aria-label="Last page"
            title="Last page"
            icon={<ChevronsRight aria-hidden />}
            disabled={!hasNext}
            onClick={() => handleForward(lastPage)}
          />
        )}
      </div>
    </nav>
  )
}
