import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { Button } from './button.tsx'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  /** `alertdialog` for a question that must be answered. It has no Close button. */
  role?: 'dialog' | 'alertdialog'
  /** The row of buttons. The first one gets the focus if no control comes before it, so it must be the safe one. */
  actions?: ReactNode
  className?: string
  children?: ReactNode
}

/**
 * The browser's modal dialog. It keeps the focus inside. Escape closes it. A click outside also closes it, unless its
 * role is `alertdialog`. When the dialog closes, the focus returns to where it was before.
 */
export function Dialog({ open, onClose, title, description, role, actions, className, children }: DialogProps) {
  const ref = useModal(open)
  const hasCross = role !== 'alertdialog'
  const titleId = useId()
  const descriptionId = useId()
  return (
    <dialog
      ref={ref}
      role={role}
      aria-labelledby={titleId}
      aria-describedby={description ? descriptionId : undefined}
      // The browser's close event comes late. By then, another dialog may be open.
      onClose={open ? onClose : undefined}
      closedby={role === 'alertdialog' ? 'closerequest' : 'any'}
      className={clsx(
        'modal m-auto w-[min(28rem,calc(100vw-2rem))] rounded-xl border border-line bg-raised p-0 text-ink shadow-lg',
        className,
      )}
    >
      {open && (
        <div className="relative p-6">
          <h2 id={titleId} className={clsx('text-base font-semibold', hasCross && 'pr-10')}>
            {title}
          </h2>
          {description && (
            <div id={descriptionId} className="mt-1.5 text-muted">
              {description}
            </div>
          )}
          {children && <div className="mt-4">{children}</div>}
          {actions && <div className="mt-6 flex flex-wrap justify-end gap-2">{actions}</div>}
          {/* This button comes last, because a dialog focuses its first control. */}
          {hasCross && (
            <Button
              variant="ghost"
              size="icon"
              className="absolute top-4 right-4"
              aria-label="Close"
              icon={<X />}
              onClick={onClose}
            />
          )}
        </div>
      )}
    </dialog>
  )
}

interface ConfirmDialogProps {
  open: boolean
  title: string
  text: ReactNode
  confirmLabel: string
  cancelLabel?: string
  danger?: boolean
  busy?: boolean
  onConfirm: () => void
  onClose: () => void
}

export function ConfirmDialog({
  confirmLabel,
  cancelLabel = 'Cancel',
  danger,
  busy,
  text,
  ...rest
}: ConfirmDialogProps) {
  const { open, title, onConfirm, onClose } = rest
  return (
    <Dialog
      open={open}
      onClose={onClose}
      role="alertdialog"
      title={title}
      description={text}
      actions={
        <>
          <Button variant="secondary" onClick={onClose}>
            {cancelLabel}
          </Button>
          <Button variant={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </>
      }
    />
  )
}

/**
 * Opens and closes a `<dialog>` as a modal when `open` changes, before the next key. Closing gives the focus back. What
 * appears at the same time can take it only afterwards.
 */
export function useModal(open: boolean) {
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = ref.current
    if (open && dialog && !dialog.open) dialog.showModal()
    if (!open && dialog?.open) dialog.close()
  }, [open])
  return ref
}
