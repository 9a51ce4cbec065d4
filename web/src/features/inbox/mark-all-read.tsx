import type { News } from '@portal/contract/inbox.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { Button, type ButtonVariant } from '../../ui/button.tsx'
import { useFocusLeftBehind } from '../../ui/keep-focus.ts'
import { toast } from '../../ui/toast.ts'
import { markAllSeen } from './inbox.queries.ts'

interface MarkAllReadProps {
  news: News | undefined
  variant?: ButtonVariant
}

/**
 * While nothing is new, the button ignores clicks, but it can keep the focus. If the button is removed while it has the
 * focus, the focus moves to the nearest ancestor that stays.
 */
export function MarkAllRead({ news, variant = 'ghost' }: MarkAllReadProps) {
  const queryClient = useQueryClient()
  const ref = useRef<HTMLButtonElement>(null)
  useFocusLeftBehind(ref)
  const mark = useMutation({
    mutationFn: (seen: News) => markAllSeen(queryClient, seen),
    onError: toast.failure,
  })
  const isUseful = news !== undefined && news.total > 0
  return (
    <Button
      ref={ref}
      variant={variant}
      size="small"
      busy={mark.isPending}
      idle={!isUseful}
      onClick={() => news && mark.mutate(news)}
    >
      Mark all as read
    </Button>
  )
}
