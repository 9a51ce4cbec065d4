import { Toast } from '@base-ui/react/toast'
import { clsx } from 'clsx'
import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react'
import { createElement, type FocusEvent, useEffect, useRef } from 'react'
import { setToasterThere, type ToastData, type ToastKind, toastManager } from './toast.ts'

type Item = ReturnType<typeof Toast.useToastManager<ToastData>>['toasts'][number]

const SHOWN_MAX = 5

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

/**
 * The part of the page where toasts appear and are announced. It exists before the first toast, because screen readers
 * would otherwise miss that toast.
 */
export function Toaster() {
  useEffect(() => {
    setToasterThere(true)
    return () => setToasterThere(false)
  }, [])
  // Its type says that it may return a bare text, which the types of JSX here do not allow.
  return createElement(Toast.Provider, { toastManager, limit: SHOWN_MAX }, <Toasts />)
}

function Toasts() {
  const { toasts } = Toast.useToastManager<ToastData>()
  const ref = useOnTop(toasts)
  const cameFrom = useRef<EventTarget | null>(null)

  function handleFocus({ currentTarget, relatedTarget }: FocusEvent) {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) cameFrom.current = relatedTarget
  }

  // The library returns the focus after F6, but not after Tab or a click.
  function giveFocusBack() {
    const hasFocus = ref.current?.contains(document.activeElement)
    if (hasFocus && cameFrom.current instanceof HTMLElement) cameFrom.current.focus()
  }

  return (
    <Toast.Viewport
      ref={ref}
      render={<section popover="manual" />}
      aria-label="Messages"
      onFocus={handleFocus}
      // The toasts are at the bottom right, where pages end in blank space, and on a phone above the bars at the bottom.
      className="pointer-events-none fixed top-auto right-4 bottom-[calc(var(--foot)+0.75rem)] left-auto m-0 w-[min(22rem,calc(100vw-2rem))] overflow-visible border-0 bg-transparent p-0 text-ink lg:bottom-4 print:hidden"
    >
      {/* The newest toast is at the bottom. A phone shows two toasts, and only one line of the older one. */}
      <ol className="flex flex-col gap-2 max-sm:[&>:nth-last-child(n+3)]:hidden max-sm:[&>:not(:last-child)_p]:line-clamp-1">
        {toasts.toReversed().map((item) => (
          <OneToast key={item.data?.number} item={item} onDismiss={giveFocusBack} />
        ))}
      </ol>
    </Toast.Viewport>
  )
}

/** `onDismiss` runs before the toast is removed. */
function OneToast({ item, onDismiss }: { item: Item; onDismiss: () => void }) {
  const kind = item.data?.kind ?? 'info'
  const Icon = ICONS[kind]
  return (
    <Toast.Root
      toast={item}
      swipeDirection={['right', 'down']}
      render={<li />}
      // The library gives each toast the role of a dialog. Here it is a list item.
      role="listitem"
      aria-modal={undefined}
      data-kind={kind}
      className="toast pointer-events-auto flex items-start gap-3 rounded-xl border border-line bg-raised py-2.5 pr-2 pl-3.5 shadow-lg data-limited:hidden"
    >
      <Icon aria-hidden className={clsx('mt-0.5 size-4.5 shrink-0', COLOURS[kind])} />
      <Toast.Description
        role={kind === 'error' ? 'alert' : undefined}
        className="min-w-0 flex-1 py-px font-medium break-words"
      />
      <Toast.Close
        aria-label="Dismiss"
        aria-hidden={undefined}
        onClick={onDismiss}
        className="-my-0.5 flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
      >
        <X aria-hidden className="size-4" />
      </Toast.Close>
    </Toast.Root>
  )
}

/** Shows the popover again whenever a toast comes or goes, so that it lies above a dialog that has opened since. */
function useOnTop(items: readonly Item[]) {
  const ref = useRef<HTMLDivElement>(null)
  const numbers = items.map((item) => item.data?.number).join(' ')
  useEffect(() => {
    const element = ref.current
    if (!element?.showPopover) return
    if (element.matches(':popover-open')) element.hidePopover()
    if (numbers !== '') element.showPopover()
  }, [numbers])
  return ref
}
