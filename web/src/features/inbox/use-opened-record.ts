import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLookedAt } from '../../ui/looked-at.ts'
import { markRecordSeen, newsQuery } from './inbox.queries.ts'

/**
 * Marks the news of a record as seen while the person looks at its page: when the page opens, and again when news
 * arrives. Pass undefined until the record has loaded.
 */
export function useOpenedRecord(loid: string | undefined) {
  const queryClient = useQueryClient()
  const { data: news } = useQuery(newsQuery())
  const isLookedAt = useLookedAt()
  const told = useRef<string>(undefined)
  // Undefined if the record has no line of its own, for example because its news is in the line of a burst, or beyond
  // the end of the list. Such a record is marked only once.
  const line = news?.lines.find((candidate) => candidate.loid === loid)
  // The number of changes alone would not do: after one change was marked, one later change can be unseen.
  const state = `${loid} ${line?.changes} ${line?.at}`
  useEffect(() => {
    if (!news || loid === undefined || !isLookedAt || told.current === state) return
    const wasMarked = told.current?.startsWith(`${loid} `)
    told.current = state
    if (wasMarked && !line) return
    // If this fails, the news stays unseen, and the next visit tries again.
    markRecordSeen(queryClient, news, loid).catch(() => undefined)
  })
}
