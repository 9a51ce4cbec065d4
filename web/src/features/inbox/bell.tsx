import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Bell as BellIcon } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from '../../router/router-view.tsx'
import { Button } from '../../ui/button.tsx'
import { useTabCount } from '../../ui/tab-title.ts'
import { newsQuery, refreshInbox } from './inbox.queries.ts'
import { followOtherTabs } from './other-tabs.ts'
import { unreadText } from './unread-count.tsx'
import { useLatePanel } from './use-late-panel.ts'

const loadPanel = async () => (await import('./bell-panel.tsx')).BellPanel

/**
 * Shows how many lines of unseen news there are. Each changed record has one line, and leads or deals that were
 * submitted together share one line. A click lists the lines (D72).
 */
export function Bell() {
  const queryClient = useQueryClient()
  const { data: news } = useQuery(newsQuery())
  const { pathname } = useLocation()
  const [openOn, setOpenOn] = useState<string | null>(null)
  const { Panel, open } = useLatePanel(loadPanel, (wanted) => setOpenOn(wanted ? pathname : null))
  const ref = useRef<HTMLButtonElement>(null)
  useEffect(() => followOtherTabs(() => void refreshInbox(queryClient)), [queryClient])
  const count = news?.total ?? 0
  useTabCount(count)
  const isOpen = openOn === pathname
  // Navigation closes the panel. A return to the page does not open it again.
  if (openOn !== null && !isOpen) setOpenOn(null)

  return (
    <>
      <Button
        ref={ref}
        variant="ghost"
        size="icon"
        className="relative"
        aria-label={count === 0 ? 'What is new' : `What is new: ${unreadText(count)}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        icon={<BellIcon aria-hidden />}
        onPointerEnter={() => void loadPanel()}
        onClick={() => open(!isOpen)}
      >
        {count > 0 && (
          <span
            aria-hidden
            className="absolute top-0 right-0 min-w-4 rounded-full bg-brand px-1 text-center text-[0.625rem]/4 font-semibold text-on-brand tabular-nums"
          >
            {unreadText(count)}
          </span>
        )}
      </Button>
      {Panel && <Panel bell={ref} open={isOpen} onOpen={open} />}
    </>
  )
}
