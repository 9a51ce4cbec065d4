import { lazy, Suspense, useEffect, useState } from 'react'
import { onFirstToast } from './toast.ts'

const Toaster = lazy(async () => ({ default: (await import('./toaster.tsx')).Toaster }))

/**
 * By this time the page is drawn, and a toast is seldom needed sooner. The code loads even without a toast, because a
 * toast must also work without a connection.
 */
const AFTER_MS = 3_000

/**
 * The toasts. A first visit does not wait for their code: it loads after the page, or when the first toast is shown.
 */
export function LateToaster() {
  const [isWanted, setIsWanted] = useState(false)
  useEffect(() => onFirstToast(() => setIsWanted(true)), [])
  useEffect(() => {
    const timer = setTimeout(() => setIsWanted(true), AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return <Suspense>{isWanted && <Toaster />}</Suspense>
}
