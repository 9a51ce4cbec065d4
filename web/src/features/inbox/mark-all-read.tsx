import type { News } from '@portal/contract/inbox.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { failureText } from '../../api/failure.ts'
import { Button } from '../../ui/button.tsx'
import { useFocusLeftBehind } from '../../ui/keep-focus.ts'
import { toast } from '../../ui/toast.ts'
import { markAllSeen } from './inbox.queries.ts'

/** Stays where it is when nothing is new, so that the focus does. */
export function MarkAllRead({ news }: { news: News | undefined }) {
  const queryClient = useQueryClient()
  const ref = useRef<HTMLButtonElement>(null)
  useFocusLeftBehind(ref)
  const mark = useMutation({
    mutationFn: (seen: News) => markAllSeen(queryClient, seen),
    onError: (error) => toast.error(failureText(error)),
  })
  const isUseful = news !== undefined && news.total > 0
  return (
    <Button
      ref={ref}
      variant="ghost"
      size="small"
      busy={mark.isPending}
      idle={!isUseful}
      onClick={() => news && mark.mutate(news)}
    >
      Mark all as read
    </Button>
  )
}
