import { clsx } from 'clsx'
import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react'
import { type FocusEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { type ToastItem, type ToastKind, toast, toasts } from './toast.ts'

const ICONS: Record<ToastKind, typeof Info> = {
  success: CircleCheck,
  error: CircleAlert,
  warning: TriangleAlert,
  info: Info,
}

const COLOURS: Record<ToastKind, string> = {
  success: 'text-success-dot',
  error: 'text-error-dot',
  warning: 'text-warning-dot',
  info: 'text-brand-ink',
}

/** The place where toasts appear, and their voice: it exists before the first one, or screen readers would miss it. */
export function Toaster() {
  const items = useSyncExternalStore(toasts.subscribe, toasts.read)
  const [isPaused, setIsPaused] = useState(false)
  const ref = useOnTop(items)
  const cameFrom = useRef<EventTarget | null>(null)

  function handleFocus({ currentTarget, relatedTarget }: FocusEvent) {
    setIsPaused(true)
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) cameFrom.current = relatedTarget
  }

  // Removed with the focus on it, the button would tell nobody that it lost it, and the clock would stand for ever.
  function handleDismiss(id: number) {
    const hasFocus = ref.current?.contains(document.activeElement)
    if (hasFocus && cameFrom.current instanceof HTMLElement) cameFrom.current.focus()
    setIsPaused(false)
    toast.dismiss(id)
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the pointer or focus on it stops the clock
    <section
      ref={ref}
      popover="manual"
      aria-label="Notifications"
      // A finger never leaves, so only a mouse stops the clock.
      onPointerEnter={(event) => setIsPaused(event.pointerType === 'mouse')}
      onPointerLeave={() => setIsPaused(false)}
      onFocus={handleFocus}
      onBlur={() => setIsPaused(false)}
      // At the top, where no page has a button that the toast could lie upon, and above the title of a dialog; on a phone over the
      // bar, beside its menu.
      className="pointer-events-none fixed inset-x-0 top-0 bottom-auto mx-auto my-0 w-[min(26rem,100vw)] overflow-visible border-0 bg-transparent py-2 pr-2 pl-14 text-ink sm:top-14 sm:px-4 sm:[html:has(dialog.modal[open])_&]:top-0 print:hidden"
    >
      {/* The newest on top. A phone shows two, the older with one line: more would reach down to the buttons of the page. */}
      <ol
        aria-live="polite"
        aria-relevant="additions"
        className="flex flex-col-reverse gap-2 max-sm:[&>:nth-last-child(n+3)]:hidden max-sm:[&>:not(:last-child)_p]:line-clamp-1"
      >
        {items.map((item) => (
          <Toast key={item.id} item={item} isPaused={isPaused} onDismiss={() => handleDismiss(item.id)} />
        ))}
      </ol>
    </section>
  )
}

interface ToastProps {
  item: ToastItem
  isPaused: boolean
  onDismiss: () => void
}

function Toast({ item, isPaused, onDismiss }: ToastProps) {
  const { id, kind, text, durationMs } = item
  useEffect(() => {
    if (isPaused) return
    const timer = setTimeout(() => toast.dismiss(id), durationMs)
    return () => clearTimeout(timer)
  }, [id, durationMs, isPaused])
  const Icon = ICONS[kind]
  return (
    <li
      data-kind={kind}
      className="toast pointer-events-auto flex items-start gap-3 rounded-xl border border-line bg-raised py-3 pr-2 pl-4 shadow-lg"
    >
      <Icon aria-hidden className={clsx('mt-0.5 size-4.5 shrink-0', COLOURS[kind])} />
      <p role={kind === 'error' ? 'alert' : undefined} className="min-w-0 flex-1 py-px font-medium break-words">
        {text}
      </p>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={onDismiss}
        className="-my-0.5 flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
      >
        <X aria-hidden className="size-4" />
      </button>
    </li>
  )
}

/** Shown anew with each change, the popover stands above a dialog that was opened in between. */
function useOnTop(items: readonly ToastItem[]) {
  const ref = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = ref.current
    if (!element?.showPopover) return
    if (element.matches(':popover-open')) element.hidePopover()
    if (items.length > 0) element.showPopover()
  }, [items])
  return ref
}
