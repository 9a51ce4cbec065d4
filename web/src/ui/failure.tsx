import { CircleAlert, RotateCw } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { failureDetail } from '../api/failure.ts'
import { Button } from './button.tsx'
import { useFocusLeftBehind } from './keep-focus.ts'

interface FailureProps {
  text: string
  /** The reason, such as the server's words. Not shown if it only repeats `text`. */
  detail?: string | undefined
  onRetry?: () => void
  /** A link or button after Try Again, or instead of it. */
  action?: ReactNode
}

export function Failure({ text, detail, onRetry, action }: FailureProps) {
  const ref = useRef<HTMLDivElement>(null)
  useFocusLeftBehind(ref)
  return (
    <div ref={ref} role="alert" className="flex flex-col items-center px-6 py-12 text-center">
      <span
        aria-hidden
        className="mb-4 flex size-11 items-center justify-center rounded-xl bg-error-tint text-error-ink"
      >
        <CircleAlert className="size-5" />
      </span>
      <p className="text-[0.9375rem] font-semibold">{text}</p>
      {detail && detail !== text && <p className="mt-1 max-w-md text-balance text-muted">{detail}</p>}
      <div className="mt-5 flex gap-2 empty:hidden">
        {onRetry && (
          <Button variant="secondary" icon={<RotateCw aria-hidden />} onClick={() => onRetry()}>
            Try Again
          </Button>
        )}
        {action}
      </div>
    </div>
  )
}

interface LoadFailureProps {
  text: string
  query: { error: Error | null; refetch: () => Promise<unknown> }
}

/** A query that failed, with the server's words. */
export function LoadFailure({ text, query }: LoadFailureProps) {
  return <Failure text={text} detail={failureDetail(query.error)} onRetry={() => void query.refetch()} />
}
