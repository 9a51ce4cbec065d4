import { useQuery } from '@tanstack/react-query'
import { newsQuery } from './inbox.queries.ts'

/** The dot of a record that has changed since the person last looked. */
export function UnreadMark({ loid }: { loid: string }) {
  const { data: isUnread } = useQuery({ ...newsQuery(), select: ({ loids }) => loids.includes(loid) })
  return isUnread ? <UnreadDot /> : null
}

export function UnreadDot() {
  return (
    <span className="shape mr-1.5 inline-block size-2 shrink-0 rounded-full bg-brand align-[0.0625rem]">
      <span className="sr-only">New: </span>
    </span>
  )
}
