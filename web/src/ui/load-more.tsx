import { Button } from './button.tsx'

interface LoadMoreProps {
  /** What useInfiniteQuery tells of the list. */
  list: {
    hasNextPage: boolean
    isFetchNextPageError: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => Promise<unknown>
  }
  /** In words, when the next page did not come. */
  failure: string
}

/** Ends a list that goes on, and is gone where it does not. */
export function LoadMore({ list, failure }: LoadMoreProps) {
  if (!list.hasNextPage) return null
  return (
    <div className="flex flex-col items-center gap-2 border-t border-line p-4">
      {list.isFetchNextPageError && <p className="text-error-ink">{failure}</p>}
      <Button variant="secondary" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        Load more
      </Button>
    </div>
  )
}
