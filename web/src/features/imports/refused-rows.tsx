import type { Import } from '@portal/contract/imports.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { failureText } from '../../api/failure.ts'
import { formatCount } from '../../format/count.ts'
import { FailureAlert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConsentLine } from './consent-line.tsx'
import { showImport, submitRows } from './imports.queries.ts'

/** Submits the rows that were left out only because the person or the business might not submit them then. */
export function RefusedRows({ submitted: { id, refused } }: { submitted: Import }) {
  const queryClient = useQueryClient()
  const submit = useMutation({
    mutationFn: () => submitRows(id, refused, false),
    onSuccess: (submitting) => showImport(queryClient, submitting),
    // Another person may have submitted them.
    onError: () => void queryClient.invalidateQueries({ queryKey: ['imports'] }),
  })
  return (
    <Card
      title={`${formatCount(refused, 'row')} can be submitted again`}
      description="Nothing is wrong with these rows. They were left out because your account could not submit them at that time; below, each says why."
    >
      <ConsentLine />
      {submit.isError && (
        <div className="mt-4">
          <FailureAlert text="Nothing was submitted" detail={failureText(submit.error)} />
        </div>
      )}
      <Button className="mt-4" busy={submit.isPending} onClick={() => submit.mutate()}>
        Submit {formatCount(refused, 'Lead')} Again
      </Button>
    </Card>
  )
}
