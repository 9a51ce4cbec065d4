import { Bookmark } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { useLatePanel } from '../inbox/use-late-panel.ts'
import type { ListViews } from './use-list-views.ts'

const loadPanel = async () => (await import('./views-panel.tsx')).ViewsPanel

interface ViewsButtonProps {
  views: ListViews
  /** The list's name for people. */
  name: string
}

/** Names the view that the list shows. A click lists the views, and keeps what the list shows under a name (D81). */
export function ViewsButton({ views, name }: ViewsButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  const { Panel, open } = useLatePanel(loadPanel, setIsOpen)
  const ref = useRef<HTMLButtonElement>(null)
  const { current, isChanged } = views
  const state = current && `${current.name}${isChanged ? ', changed' : ''}`

  return (
    <>
      <Button
        ref={ref}
        variant="secondary"
        className="max-sm:px-3!"
        aria-label={state ? `Views: ${state}` : 'Views'}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        icon={<Bookmark aria-hidden className={current && 'fill-current'} />}
        onPointerEnter={() => void loadPanel()}
        onClick={() => open(!isOpen)}
      >
        <span className="max-w-40 truncate max-sm:sr-only">
          {current?.name ?? 'Views'}
          {isChanged && <span className="font-normal text-muted"> · changed</span>}
        </span>
      </Button>
      {Panel && <Panel button={ref} open={isOpen} views={views} name={name} onOpen={open} />}
    </>
  )
}
