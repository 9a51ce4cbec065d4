import { RotateCw } from 'lucide-react'
import { useRef } from 'react'
import { Badge } from './badge.tsx'
import { useFocusLeftBehind } from './keep-focus.ts'

interface RetryMarkProps {
  /** The failure in two words. */
  text: string
  /** The reason in a sentence, if it is known. */
  reason?: string | null | undefined
  isBusy: boolean
  /** Undefined if the person may not retry. */
  onRetry: (() => void) | undefined
}

/** Names a failure, on a button that retries or, if the person may not retry, on a badge. */
export function RetryMark({ text, reason, isBusy, onRetry }: RetryMarkProps) {
  const ref = useRef<HTMLButtonElement>(null)
  useFocusLeftBehind(ref)
  return (
    <>
      {onRetry ? (
        <button
          ref={ref}
          type="button"
          aria-disabled={isBusy || undefined}
          onClick={isBusy ? undefined : onRetry}
          className="inline-flex min-h-6 items-center gap-1 rounded-md bg-error-tint px-2 text-xs font-medium whitespace-nowrap text-error-ink hover:underline aria-disabled:opacity-60"
        >
          {text} – <RotateCw aria-hidden className="size-3" /> Retry
        </button>
      ) : (
        <Badge variant="error">{text}</Badge>
      )}
      {reason && <span className="text-[0.8125rem] text-muted">{reason}</span>}
    </>
  )
}
