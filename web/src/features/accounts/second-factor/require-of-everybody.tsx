import { changeTeamSettings } from '@portal/contract/second-factor.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import { failureText } from '../../../api/failure.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Checkbox } from '../../../ui/field.tsx'
import { toast } from '../../../ui/toast.ts'
import { secondFactorQuery } from './second-factor.queries.ts'

/** Lets an owner choose whether everybody in the business needs a second factor. */
export function RequireOfEverybody({ businessName }: { businessName: string }) {
  const queryClient = useQueryClient()
  const { data: factor } = useQuery(secondFactorQuery())
  const change = useMutation({
    mutationFn: (isRequired: boolean) => call(changeTeamSettings, { body: { second_factor_required: isRequired } }),
    onSuccess({ second_factor_required }) {
      toast.success(
        second_factor_required
          ? 'Everybody now needs a second factor'
          : 'A second factor is now optional for everybody',
      )
      return queryClient.invalidateQueries(secondFactorQuery())
    },
  })
  return (
    <div className="grid gap-3 border-t border-line pt-5">
      {change.isError && <Alert kind="error">{failureText(change.error)}</Alert>}
      <Checkbox
        label="Require a second factor for everybody"
        hint={`Anybody at ${businessName} without a second factor must set one up before doing anything else.`}
        checked={change.isPending ? change.variables : factor?.is_required === true}
        aria-disabled={change.isPending || undefined}
        onChange={(event) => {
          if (!change.isPending) change.mutate(event.target.checked)
        }}
      />
    </div>
  )
}
