import type { OpenAgreement } from '@portal/contract/agreement.ts'
import { paths } from '../../app/paths.ts'
import { formatDate } from '../../format/dates.ts'
import { Link } from '../../router/link.tsx'
import { useMay } from '../../session/may.tsx'
import { Alert } from '../../ui/alert.tsx'
import { textLinkClass } from '../../ui/description-list.tsx'

/** What every page says until an owner has accepted the lender's agreement (D113). */
export function AgreementNotice({ agreement }: { agreement: OpenAgreement }) {
  const mayAccept = useMay('owner')
  const { version, required_from, is_required } = agreement
  return (
    <Alert kind={is_required ? 'warning' : 'info'} className="mb-5">
      <p>
        <span className="font-medium">
          {is_required
            ? `Nothing can be submitted until an owner accepts the lender’s agreement, version ${version}.`
            : `From ${formatDate(required_from)}, the lender’s agreement, version ${version}, is needed to submit.`}
        </span>{' '}
        <Link {...paths.agreement} className={textLinkClass}>
          {mayAccept ? 'Read and accept' : 'Read it'}
        </Link>
        {!mayAccept && ' and ask an owner of your business to accept it.'}
      </p>
    </Alert>
  )
}
