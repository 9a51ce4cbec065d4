import { Bookmark } from 'lucide-react'
import { useRef, useState } from 'react'
import { brokenText } from '../../api/failure.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.ts'
import type { ListViews } from './use-list-views.ts'
import type { ViewsPanel } from './views-panel.tsx'

const loadPanel = () => import('./views-panel.tsx')

interface ViewsButtonProps {
  views: ListViews
  /** The list's name for people. */
  name: string
}

/** Names the view that the list shows. A click lists the views, and keeps what the list shows under a name (D81). */
export function ViewsButton({ views, name }: ViewsButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  const [Panel, setPanel] = useState<typeof ViewsPanel | null>(null)
  const ref = useRef<HTMLButtonElement>(null)
  const { current, isChanged } = views
  const state = current && `${current.name}${isChanged ? ', changed' : ''}`

  async function handleOpen(wanted: boolean) {
    setIsOpen(wanted)
    if (Panel) return
    try {
      const { ViewsPanel: loaded } = await loadPanel()
      setPanel(() => loaded)
    } catch {
      setIsOpen(false)
      toast.error(brokenText())
    }
  }

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
        onClick={() => void handleOpen(!isOpen)}
      >
        <span className="max-w-40 truncate max-sm:sr-only">
          {current?.name ?? 'Views'}
          {isChanged && <span className="font-normal text-muted"> · changed</span>}
        </span>
      </Button>
      {Panel && (
        <Panel button={ref} open={isOpen} views={views} name={name} onOpen={(wanted) => void handleOpen(wanted)} />
      )}
    </>
  )
}
