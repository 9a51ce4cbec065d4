import { useEffect } from 'react'
import { brokenText } from '../api/failure.ts'
import { isReachable } from '../api/is-reachable.ts'
import { useLocation } from '../router/router-view.tsx'
import { Failure } from '../ui/failure.tsx'

const RELOADED_KEY = 'portal-reloaded'
const LOOK_EVERY_MS = 5_000
/**
 * The page for which this document was reloaded, or is being reloaded. If it breaks in the new document too, another
 * reload would not help.
 */
let reloadedFor: string | null = null

/** Call this once, before the app is drawn. */
export function noteReload() {
  reloadedFor = sessionStorage.getItem(RELOADED_KEY)
  sessionStorage.removeItem(RELOADED_KEY)
}

/**
 * Keeps a broken page from breaking anything else. The page's code may have failed to load because there was no
 * connection, or because a newer version replaced it. A new document solves both problems, so the page reloads once by
 * itself as soon as the portal answers.
 */
export function PageCrash() {
  const { pathname } = useLocation()
  useEffect(() => {
    if (reloadedFor === pathname) return
    async function look() {
      if (!(await isReachable()) || reloadedFor === pathname) return
      reloadedFor = pathname
      sessionStorage.setItem(RELOADED_KEY, pathname)
      window.location.reload()
    }
    const handleLook = () => void look()
    handleLook()
    const timer = setInterval(handleLook, LOOK_EVERY_MS)
    window.addEventListener('online', handleLook)
    return () => {
      clearInterval(timer)
      window.removeEventListener('online', handleLook)
    }
  }, [pathname])
  return <Failure text={brokenText()} onRetry={() => void reloadIfReachable()} />
}

async function reloadIfReachable() {
  if (await isReachable()) window.location.reload()
}
