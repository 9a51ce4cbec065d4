import { useQuery } from '@tanstack/react-query'
import { newsQuery } from './inbox.queries.ts'

const SHOWN_MAX = 99

export function unreadText(count: number): string {
  return count > SHOWN_MAX ? `${SHOWN_MAX}+` : String(count)
}

/** The number beside Leads or Deals in the sidebar. */
export function UnreadCount({ of }: { of: 'leads' | 'deals' }) {
  const { data: count = 0 } = useQuery({ ...newsQuery(), select: (news) => news[of] })
  if (count === 0) return null
  return (
    <span className="ml-auto rounded-full bg-brand-tint px-1.5 text-2xs font-semibold text-brand-ink tabular-nums">
      {unreadText(count)}
      <span className="sr-only"> new</span>
    </span>
  )
}
