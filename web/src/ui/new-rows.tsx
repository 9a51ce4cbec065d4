import { clsx } from 'clsx'
import { ArrowUp } from 'lucide-react'
import { useRef } from 'react'
import { Button } from './button.tsx'
import type { FollowedRows } from './followed-rows.ts'
import { useFocusLeftBehind } from './keep-focus.ts'

interface NewRowsProps {
  waiting: FollowedRows<never>['waiting']
  onShow: () => void
  /**
   * Sets the distance from the upper edge of the scrolling area. By default the button stays below the page's top bar.
   */
  className?: string
}

/**
 * A button that shows the waiting rows. It lies over the upper edge of the list, takes no room from it, and stays in
 * view when the person scrolls down the list.
 */
export function NewRows({ waiting, onShow, className = 'top-18' }: NewRowsProps) {
  return (
    <div className={clsx('sticky z-[5] flex h-0 items-center justify-center', className)}>
      <div aria-live="polite">{waiting && <ShowButton text={textOf(waiting)} onShow={onShow} />}</div>
    </div>
  )
}

function ShowButton({ text, onShow }: { text: string; onShow: () => void }) {
  const ref = useRef<HTMLButtonElement>(null)
  useFocusLeftBehind(ref)
  return (
    <Button
      ref={ref}
      size="small"
      icon={<ArrowUp aria-hidden />}
      className="h-6! -translate-y-1 rounded-full! shadow-md pointer-coarse:h-8!"
      onClick={onShow}
    >
      {text}
    </Button>
  )
}

function textOf({ added, gone }: NonNullable<FollowedRows<never>['waiting']>): string {
  if (added > 0) return `${added} new`
  return gone > 0 ? `${gone} no longer listed` : 'Show new order'
}
