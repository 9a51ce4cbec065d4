import { type AccessItem, RECENT_ACCESS_DAYS } from '@portal/contract/access.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { LoadFailure } from '../../ui/failure.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { AccessDetail, AccessName } from './access-item.tsx'

interface ChooseAccessProps {
  access: UseQueryResult<readonly AccessItem[]>
  isTicked: (item: AccessItem) => boolean
  onTick: (item: AccessItem, isTicked: boolean) => void
}

/** Lists what can get in, for a person who sets a new password and chooses what to remove (D130). */
export function ChooseAccess({ access, isTicked, onTick }: ChooseAccessProps) {
  if (access.isPending) return <Spinner label="Loading what can get in" />
  if (access.isError) {
    return <LoadFailure text="Failed to load what can get in" query={access} />
  }
  if (access.data.length === 0) return <p className="text-muted">Only your sessions can get in, and they end now.</p>
  return (
    <fieldset className="grid gap-3 rounded-lg border border-line p-4 pt-2">
      <legend className="px-1 font-medium">Remove</legend>
      <p className="text-[0.8125rem] text-muted">
        Your sessions end in any case. What came in the last {RECENT_ACCESS_DAYS} days is ticked.
      </p>
      {access.data.map((item) => (
        <Checkbox
          key={item.id}
          label={<AccessName item={item} />}
          hint={<AccessDetail item={item} />}
          checked={isTicked(item)}
          onChange={(event) => onTick(item, event.target.checked)}
        />
      ))}
    </fieldset>
  )
}
