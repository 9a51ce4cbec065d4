import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { OFFLINE, UNEXPECTED } from '../api/failure.ts'
import { isReachable } from '../api/is-reachable.ts'
import { Failure } from '../ui/failure.tsx'

const RELOADED_KEY = 'portal-reloaded'

/** A page that broke takes nothing else with it. Its code may be one that a newer version replaced: a new document mends that by itself, once. */
export function PageCrash() {
  const { pathname } = useLocation()
  useEffect(() => {
    if (sessionStorage.getItem(RELOADED_KEY) === pathname) return
    sessionStorage.setItem(RELOADED_KEY, pathname)
    void reloadIfReachable()
  }, [pathname])
  return <Failure text={navigator.onLine ? UNEXPECTED : OFFLINE} onRetry={() => void reloadIfReachable()} />
}

async function reloadIfReachable() {
  if (await isReachable()) window.location.reload()
}
