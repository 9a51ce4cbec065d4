import { lazy, Suspense, useEffect, useState } from 'react'
import { onFirstToast } from './toast.ts'

const Toaster = lazy(async () => ({ default: (await import('./toaster.tsx')).Toaster }))

/** By then the page is there. A toast seldom comes sooner, and needs the code even when the connection is gone by then. */
const AFTER_MS = 3_000

/** The toasts, whose code a first visit does without: it comes after the page, or with the first toast. */
export function LateToaster() {
  const [isWanted, setIsWanted] = useState(false)
  useEffect(() => onFirstToast(() => setIsWanted(true)), [])
  useEffect(() => {
    const timer = setTimeout(() => setIsWanted(true), AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return <Suspense>{isWanted && <Toaster />}</Suspense>
}
