import { ACCESS_KIND_NAMES, type AccessItem } from '@portal/contract/access.ts'
import { formatDateTime } from '../../format/dates.ts'
import { Badge } from '../../ui/badge.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** The kind and name, with the marks for this session and for what came in the last 30 days. */
export function AccessName({ item }: { item: AccessItem }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium text-ink">
      <span className="min-w-0 wrap-anywhere">
        {ACCESS_KIND_NAMES[item.kind]}
        {item.kind !== 'app' && <span className="font-normal">: {item.name}</span>}
      </span>
      {item.is_this_one && <Badge variant="success">This one</Badge>}
      {item.is_recent && !item.is_this_one && <Badge variant="warning">New</Badge>}
    </span>
  )
}

export function AccessDetail({ item }: { item: AccessItem }) {
  return (
    <>
      {item.detail && <span className="break-all">{item.detail} · </span>}
      Since {formatDateTime(item.added_at)}
      {item.last_used_at && (
        <>
          {' · '}Last used: <RelativeTime at={item.last_used_at} />
        </>
      )}
    </>
  )
}
