import { Button } from './button.tsx'

interface LoadMoreProps {
  /** The state of the list, from useInfiniteQuery. */
  list: {
    hasNextPage: boolean
    isFetchNextPageError: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => Promise<unknown>
  }
  /** The text to show if the next page fails to load. */
  failure: string
}

/** A button at the end of a list that has more pages. It disappears on the last page. */
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
