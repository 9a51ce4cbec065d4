import { confirmCrmLink, readCrmLink } from '@portal/contract/crm-link.ts'
import { HOLDS, type Hold } from '@portal/contract/holds.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/may.tsx'
import { sessionQuery } from '../../session/session.queries.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.ts'
import { refreshAfterSync } from './use-sync.ts'

/**
 * Shown while the lender, or a person of the business, has to decide whether the business is connected with a record
 * that the CRM already has (D121).
 */
export function CrmLinkNotice({ hold }: { hold: Hold }) {
  const isOwner = useMay('owner')
  return (
    <Alert kind="warning" className="mb-5">
      <p>
        <span className="font-medium">{HOLDS[hold].text}.</span> Until then, your submissions wait here.
      </p>
      {hold === 'people' && isOwner && <ConfirmLink />}
    </Alert>
  )
}

function ConfirmLink() {
  const queryClient = useQueryClient()
  const { data: link } = useQuery({ queryKey: ['crm-link'], queryFn: ({ signal }) => call(readCrmLink, { signal }) })
  const { mutate, isPending } = useMutation({
    mutationFn: () => call(confirmCrmLink),
    onSuccess: async () => {
      toast.success('Your existing records are on their way')
      await queryClient.invalidateQueries({ queryKey: sessionQuery().queryKey })
      refreshAfterSync(queryClient)
    },
    onError: toast.failure,
  })
  if (!link) return null
  if (!link.may_confirm) return <p className="mt-1">The owner whose email address your lender has can do this.</p>
  return (
    <>
      <p className="mt-1">
        Connect to your {link.records} existing {link.records === 1 ? 'record' : 'records'}? These people will see them:
      </p>
      <ul className="mt-1 mb-2 list-disc pl-5">
        {link.people.map(({ name, email }) => (
          <li key={email}>
            {name} ({email})
          </li>
        ))}
      </ul>
      <Button variant="secondary" size="small" busy={isPending} onClick={() => mutate()}>
        Connect
      </Button>
    </>
  )
}
