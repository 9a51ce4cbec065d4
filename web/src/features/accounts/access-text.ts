import { ACCESS_KIND_NAMES, type AccessItem, type SettledAccess } from '@portal/contract/access.ts'
import { formatDate } from '../../format/dates.ts'

/** Says what a new password removed and what can still get in. Undefined if there was nothing. */
export function accessText({ removed, left }: SettledAccess): string | undefined {
  const texts = [
    removed.length > 0 && `Removed with the old password: ${named(removed)}.`,
    left.length > 0 && `These can still get in: ${named(left)}.`,
  ].filter(Boolean)
  return texts.join(' ') || undefined
}

function named(items: readonly AccessItem[]): string {
  return items
    .map(({ kind, name, added_at }) =>
      kind === 'app' ? ACCESS_KIND_NAMES[kind] : `${ACCESS_KIND_NAMES[kind]} ${name}, since ${formatDate(added_at)}`,
    )
    .join('; ')
}
