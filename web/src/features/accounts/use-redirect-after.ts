import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { onwardFrom, paths } from '../../app/paths.ts'

type Target = 'dashboard' | 'login'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The email of the account that was just created. The sign-in page fills it in. */
    email?: string
  }
}

/**
 * Navigates a moment after `isDone` becomes true, unless the person has left the page by then. If the person had asked
 * for another page before signing in, that page opens instead of the dashboard.
 */
export function useRedirectAfter(isDone: boolean, target: Target, delayMs: number, email?: string) {
  const router = useRouter()
  useEffect(() => {
    if (!isDone) return
    const { state } = router.latestLocation
    const link = target === 'login' ? { ...paths.login, state: { email, next: state.next } } : onwardFrom({ state })
    // The next page's code loads while the person reads the message.
    void router.preloadRoute(link).catch(() => undefined)
    const timer = setTimeout(() => void router.navigate(link), delayMs)
    return () => clearTimeout(timer)
  }, [isDone, target, delayMs, email, router])
}
