import { Popover } from '@base-ui/react/popover'
import { clsx } from 'clsx'
import type { ReactNode, RefObject } from 'react'

interface AnchoredPanelProps {
  /** The button that opens the panel. */
  anchor: RefObject<HTMLButtonElement | null>
  open: boolean
  onOpen: (open: boolean) => void
  /** Its greatest height and its width. */
  className: string
  children: ReactNode
}

/** A panel below its button. Escape, or a click outside the panel, closes it. */
export function AnchoredPanel({ anchor, open, onOpen, className, children }: AnchoredPanelProps) {
  return (
    <Popover.Root
      open={open}
      onOpenChange={(wanted, { event }) => {
        // A click on the button is left to the button's own handler, which opens and closes the panel.
        if (event.target instanceof Node && anchor.current?.contains(event.target)) return
        onOpen(wanted)
      }}
    >
      <Popover.Portal>
        <Popover.Positioner anchor={anchor} align="end" sideOffset={8} collisionPadding={8} className="z-40">
          <Popover.Popup
            finalFocus={anchor}
            className={clsx(
              'flex max-w-(--available-width) flex-col overflow-hidden rounded-xl border border-line bg-raised text-ink shadow-lg',
              className,
            )}
          >
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
