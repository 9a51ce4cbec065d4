import { lazy, Suspense, useEffect, useState } from 'react'
import { onFirstToast } from './toast.ts'

const Toaster = lazy(async () => ({ default: (await import('./toaster.tsx')).Toaster }))

/**
 * The page is there by then. A toast seldom comes sooner. The code loads even without a toast, because a toast must
 * still work when the connection is gone.
 */
const AFTER_MS = 3_000

/** The toasts. A first visit does not wait for their code: it loads after the page, or with the first toast. */
export function LateToaster() {
  const [isWanted, setIsWanted] = useState(false)
  useEffect(() => onFirstToast(() => setIsWanted(true)), [])
  useEffect(() => {
    const timer = setTimeout(() => setIsWanted(true), AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return <Suspense>{isWanted && <Toaster />}</Suspense>
}
