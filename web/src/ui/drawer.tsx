import type { ReactNode } from 'react'
import { useModal } from './dialog.tsx'

interface DrawerProps {
  open: boolean
  onClose: () => void
  label: string
  children: ReactNode
}

/** A panel that slides in from the left edge, over the page. */
export function Drawer({ open, onClose, label, children }: DrawerProps) {
  const ref = useModal(open)
  return (
    <dialog
      ref={ref}
      aria-label={label}
      onClose={onClose}
      closedby="any"
      className="drawer m-0 h-dvh max-h-none w-72 max-w-[85vw] border-r border-line bg-canvas p-0 text-ink shadow-lg"
    >
      {open && children}
    </dialog>
  )
}
