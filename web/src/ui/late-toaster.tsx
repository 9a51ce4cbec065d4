import { useEffect, useState } from 'react'
import { onFirstToast } from './toast.ts'
import type { Toaster } from './toaster.tsx'

/**
 * By this time the page is drawn, and a toast is seldom needed sooner. The code loads even without a toast, because a
 * toast must also work without a connection.
 */
const AFTER_MS = 3_000
/** If the code does not load, the page works without it, and tries again after this time or for the next toast. */
const AGAIN_AFTER_MS = 5_000

/**
 * The toasts. A first visit does not wait for their code: it loads after the page, or when the first toast is shown.
 */
export function LateToaster() {
  const [Loaded, setLoaded] = useState<typeof Toaster | null>(null)
  useEffect(() => {
    let timer = setTimeout(handleLoad, AFTER_MS)
    async function load() {
      clearTimeout(timer)
      try {
        const { Toaster: loaded } = await import('./toaster.tsx')
        setLoaded(() => loaded)
      } catch {
        timer = setTimeout(handleLoad, AGAIN_AFTER_MS)
      }
    }
    function handleLoad() {
      void load()
    }
    const stop = onFirstToast(handleLoad)
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [])
  return Loaded && <Loaded />
}
