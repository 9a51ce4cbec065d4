import { formatCount } from '../../format/count.ts'
import { Alert } from '../../ui/alert.tsx'

/** Shown while the lender's CRM does not show records that it has not deleted either (D123). */
export function HiddenRecordsNotice({ count }: { count: number }) {
  return (
    <Alert kind="warning" className="mb-5">
      <p>
        <span className="font-medium">
          The lender’s CRM does not show {formatCount(count, 'record')} of yours at the moment.
        </span>{' '}
        They stay here as they were last seen. Nothing is lost.
      </p>
    </Alert>
  )
}
