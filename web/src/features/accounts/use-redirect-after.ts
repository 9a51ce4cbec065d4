import { useEffect } from 'react'
import { onwardFrom, paths } from '../../app/paths.ts'
import { useRouter } from '../../router/router-view.tsx'

declare module '../../router/history.ts' {
  interface HistoryState {
    /** The email of the account that was just created. The sign-in page fills it in. */
    email?: string | undefined
  }
}

type Target = 'dashboard' | 'login'

/**
 * Navigates a moment after `isDone` becomes true, unless the person has left the page by then. If the person had asked
 * for another page before signing in, that page opens instead of the dashboard.
 */
export function useRedirectAfter(isDone: boolean, target: Target, delayMs: number, email?: string) {
  const router = useRouter()
  useEffect(() => {
    if (!isDone) return
    const { state } = router.now().location
    const link = target === 'login' ? { ...paths.login, state: { email, next: state.next } } : onwardFrom({ state })
    // The next page's code loads while the person reads the message.
    void router.preload(link)
    const timer = setTimeout(() => void router.navigate(link), delayMs)
    return () => clearTimeout(timer)
  }, [isDone, target, delayMs, email, router])
}
