import { Popover } from '@base-ui/react/popover'
import { useQuery } from '@tanstack/react-query'
import { BellOff } from 'lucide-react'
import type { RefObject } from 'react'
import { paths } from '../../app/paths.ts'
import { Link } from '../../router/link.tsx'
import { AnchoredPanel } from '../../ui/anchored-panel.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadFailure } from '../../ui/failure.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { newsQuery } from './inbox.queries.ts'
import { MarkAllRead } from './mark-all-read.tsx'
import { NewsList } from './news-list.tsx'

interface BellPanelProps {
  bell: RefObject<HTMLButtonElement | null>
  open: boolean
  onOpen: (open: boolean) => void
}

export function BellPanel({ bell, open, onOpen }: BellPanelProps) {
  const news = useQuery(newsQuery())
  const close = () => onOpen(false)
  return (
    <AnchoredPanel anchor={bell} open={open} onOpen={onOpen} className="max-h-[min(38rem,calc(100dvh-5rem))] w-[26rem]">
      <div className="flex min-h-13 shrink-0 items-center justify-between gap-4 border-b border-line py-2 pr-2 pl-5">
        <Popover.Title className="text-[0.9375rem] font-semibold">Since you were here</Popover.Title>
        <MarkAllRead news={news.data} />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {news.isPending && <SkeletonRows rows={3} label="Loading what is new" />}
        {news.isError && !news.data && <LoadFailure text="Failed to load what is new" query={news} />}
        {news.data?.lines.length === 0 && (
          <EmptyState
            icon={<BellOff />}
            title="You are up to date"
            text="Changes that the lender and your team make to your leads and deals appear here."
          />
        )}
        {news.data && news.data.lines.length > 0 && <NewsList news={news.data} onFollow={close} />}
      </div>
      <Link
        {...paths.activity}
        onClick={close}
        className="block shrink-0 border-t border-line px-5 py-3 text-center text-[0.8125rem] font-medium text-brand-ink -outline-offset-2 hover:bg-hover/60"
      >
        See all activity
      </Link>
    </AnchoredPanel>
  )
}
