import type { VerifiedSession } from '@portal/contract/accounts.ts'
import { formatCount } from '../../format/count.ts'
import { Alert } from '../../ui/alert.tsx'
import { CrmLinkNotice } from './crm-link-notice.tsx'

/** What every page says while something between the portal and the lender's CRM is not as usual (D121, D123, D125). */
export function CrmNotices({ session }: { session: VerifiedSession }) {
  const { hold, mustConfirmEmail, hiddenRecords, crmTakesNone } = session
  return (
    <>
      {hold && !mustConfirmEmail && <CrmLinkNotice hold={hold} />}
      {hiddenRecords > 0 && (
        <Alert kind="warning" className="mb-5">
          <p>
            <span className="font-medium">
              The lender’s CRM does not show {formatCount(hiddenRecords, 'record')} of yours at the moment.
            </span>{' '}
            They stay here as they were last seen. Nothing is lost.
          </p>
        </Alert>
      )}
      {crmTakesNone && (
        <Alert kind="warning" className="mb-5">
          <p>The lender’s CRM does not take new records at the moment. Nothing is lost.</p>
        </Alert>
      )}
    </>
  )
}
