import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { markRecordSeen, newsQuery } from './inbox.queries.ts'

/**
 * Marks the news of a record as seen while its page is visible: when the page opens, and again when news arrives. Pass
 * undefined until the record has loaded.
 */
export function useOpenedRecord(loid: string | undefined) {
  const queryClient = useQueryClient()
  const { data: news } = useQuery(newsQuery())
  const isVisible = useSyncExternalStore(onVisibilityChange, isInFront)
  const told = useRef<string>(undefined)
  // This number grows when the record has more news. It is undefined for a record without news, which is marked only
  // once.
  const changes = news?.lines.find((line) => line.loid === loid)?.changes
  const state = `${loid} ${changes}`
  useEffect(() => {
    if (!news || loid === undefined || !isVisible) return
    if (told.current === state || (changes === undefined && told.current?.startsWith(`${loid} `))) return
    told.current = state
    // If this fails, the news stays unseen, and the next visit tries again.
    markRecordSeen(queryClient, news, loid).catch(() => undefined)
  })
}

function onVisibilityChange(onChange: () => void) {
  document.addEventListener('visibilitychange', onChange)
  return () => document.removeEventListener('visibilitychange', onChange)
}

function isInFront(): boolean {
  return document.visibilityState === 'visible'
}
