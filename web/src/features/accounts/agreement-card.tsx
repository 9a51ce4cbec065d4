import { type AgreementState, acceptAgreement, readAgreement } from '@portal/contract/agreement.ts'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { formatDate, formatDateTime } from '../../format/dates.ts'
import { useMay } from '../../session/may.tsx'
import { Alert } from '../../ui/alert.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LoadFailure } from '../../ui/failure.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.ts'
import { LendersText } from './lenders-text.tsx'

function agreementQuery() {
  return queryOptions({
    queryKey: ['accounts', 'agreement'],
    queryFn: ({ signal }) => call(readAgreement, { signal }),
  })
}

/** The lender's agreement, and who of the business accepted which version (D113). Without one there is no card. */
export function AgreementCard() {
  const state = useQuery(agreementQuery())
  const mayAccept = useMay('owner')
  const top = useRef<HTMLDivElement>(null)
  const isThere = state.data !== undefined
  useEffect(() => {
    if (isThere && window.location.hash === '#agreement') top.current?.scrollIntoView()
  }, [isThere])
  if (state.isPending) return null
  if (!state.data) {
    return (
      <Card title="Agreement">
        <LoadFailure text="Failed to load the agreement" query={state} />
      </Card>
    )
  }
  const { agreement, accepted } = state.data
  if (!agreement && accepted.length === 0) return null
  return (
    <div id="agreement" ref={top} className="scroll-mt-4">
      <Card
        title="Agreement"
        description={
          agreement ? `Version ${agreement.version}, needed from ${formatDate(agreement.required_from)}` : undefined
        }
        action={
          agreement && (
            <Badge variant={agreement.is_accepted ? 'success' : 'warning'}>
              {agreement.is_accepted ? 'Accepted' : 'Not accepted'}
            </Badge>
          )
        }
      >
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
          {agreement && (
            <div
              role="region"
              aria-label="The text of the agreement"
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard must reach an area that scrolls
              tabIndex={0}
              className="frame max-h-96 overflow-y-auto bg-sunken px-4 py-3"
            >
              <LendersText text={agreement.text} headingLevel={3} />
            </div>
          )}
          {agreement &&
            !agreement.is_accepted &&
            (mayAccept ? (
              <AcceptForm key={agreement.sha256} agreement={agreement} />
            ) : (
              <p className="text-muted">An owner of your business can accept it.</p>
            ))}
          {accepted.length > 0 && <Acceptances accepted={accepted} />}
        </div>
      </Card>
    </div>
  )
}

function AcceptForm({ agreement: { version, sha256 } }: { agreement: NonNullable<AgreementState['agreement']> }) {
  const queryClient = useQueryClient()
  const [hasRead, setHasRead] = useState(false)
  const accept = useMutation({
    mutationFn: () => call(acceptAgreement, { body: { version, sha256 } }),
    onSuccess(state) {
      queryClient.setQueryData(agreementQuery().queryKey, state)
      void queryClient.invalidateQueries({ queryKey: ['session'] })
      toast.success('Agreement accepted')
    },
    // Perhaps the agreement has changed, or another owner has accepted it.
    onError: () => void queryClient.invalidateQueries({ queryKey: agreementQuery().queryKey }),
  })
  return (
    <div className="grid gap-3">
      {accept.isError && <Alert kind="error">{failureText(accept.error)}</Alert>}
      <Checkbox
        label="I have read this agreement and accept it for my business"
        checked={hasRead}
        onChange={(event) => setHasRead(event.target.checked)}
      />
      <div>
        <Button disabled={!hasRead} busy={accept.isPending} onClick={() => accept.mutate()}>
          Accept version {version}
        </Button>
      </div>
    </div>
  )
}

function Acceptances({ accepted }: Pick<AgreementState, 'accepted'>) {
  return (
    <ul aria-label="Accepted" className="grid gap-3 border-t border-line pt-4">
      {accepted.map(({ version, sha256, agreed_at, by, ip }) => (
        <li key={sha256}>
          <p>
            <span className="font-medium">Version {version}</span> accepted by {by} on {formatDateTime(agreed_at)}
            {ip && ` from ${ip}`}
          </p>
          <p className="font-mono text-xs break-all text-muted">SHA-256 {sha256}</p>
        </li>
      ))}
    </ul>
  )
}
