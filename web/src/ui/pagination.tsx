import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from './button.tsx'

interface PaginationProps {
  page: number
  hasNext: boolean
  onPage: (page: number) => void
}

export function Pagination({ page, hasNext, onPage }: PaginationProps) {
  return (
    <nav aria-label="Pagination" className="flex items-center justify-between gap-4 border-t border-line px-5 py-3">
      <p aria-live="polite" className="text-muted tabular-nums">
        Page {page}
      </p>
      <div className="flex gap-2">
        <Button
          variant="secondary"
          size="small"
          icon={<ChevronLeft aria-hidden />}
          disabled={page <= 1}
          onClick={() => onPage(page - 1)}
        >
          Previous
        </Button>
        <Button variant="secondary" size="small" disabled={!hasNext} onClick={() => onPage(page + 1)}>
          Next
          <ChevronRight aria-hidden />
        </Button>
      </div>
    </nav>
  )
}
