import { zodResolver } from '@hookform/resolvers/zod'
import {
  changeNotifications,
  MAIL_KIND_WORDS,
  MAIL_KINDS,
  MAIL_TIMINGS,
  type MailKind,
  type MailTiming,
  NotificationChange,
  type NotificationSettings,
  readNotifications,
} from '@portal/contract/notifications.ts'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { call } from '../../api/call.ts'
import { failureText } from '../../api/failure.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { changedValues, DROP_CHANGES, KEEP_CHANGES } from '../../ui/changed-values.ts'
import { LoadFailure } from '../../ui/failure.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.ts'

function notificationsQuery() {
  return queryOptions({
    queryKey: ['accounts', 'notifications'],
    queryFn: ({ signal }) => call(readNotifications, { signal }),
  })
}

/** The card where a person chooses which mails to get, and when (D73). */
export function NotificationsCard({ emailVerified }: { emailVerified: boolean }) {
  const settings = useQuery(notificationsQuery())
  return (
    <Card title="Emails">
      {settings.isPending && (
        <div className="min-h-96">
          <Spinner label="Loading notifications" />
        </div>
      )}
      {settings.isError && !settings.data && <LoadFailure text="Failed to load your notifications" query={settings} />}
      {!emailVerified && (
        <Alert kind="warning" className="mb-4">
          None of these emails will be sent until you have confirmed your email address.
        </Alert>
      )}
      {settings.data && <NotificationsForm settings={settings.data} />}
    </Card>
  )
}

const TIMING_WORDS: Record<MailTiming, string> = { 'at-once': 'At once', digest: 'Digest', never: 'Never' }

const MEANINGS: Record<MailKind, string> = {
  outcome: 'A deal is won, lost or handed on, or a lead is closed',
  'lender-note': 'With the lender’s own words',
  crm: 'The CRM did not accept a lead, deal or note',
  webhook: 'Your system no longer gets notifications of changes',
  'lead-status': 'A lead moved on or became a deal',
  'deal-stage': 'A deal moved on',
  payment: 'The lender paid for a deal',
}

function NotificationsForm({ settings }: { settings: NotificationSettings }) {
  const queryClient = useQueryClient()
  const { register, handleSubmit, formState, reset } = useForm({
    resolver: zodResolver(NotificationChange),
    defaultValues: settings,
    values: settings,
    resetOptions: KEEP_CHANGES,
  })
  const { isDirty, dirtyFields } = formState
  const change = useMutation({
    mutationFn: (body: NotificationChange) => call(changeNotifications, { body }),
    onSuccess(changed) {
      queryClient.setQueryData(notificationsQuery().queryKey, changed)
      reset(changed, DROP_CHANGES)
      toast.success('Notifications updated successfully')
    },
  })
  const kinds = MAIL_KINDS.filter((kind) => settings.choices[kind] !== undefined)

  return (
    <form
      noValidate
      onSubmit={handleSubmit(({ choices = {}, ...values }) =>
        change.mutate({
          ...changedValues(values, dirtyFields),
          choices: changedValues(choices, dirtyFields.choices ?? {}),
        }),
      )}
      className="grid grid-cols-1 gap-5"
    >
      {change.isError && <Alert kind="error">{failureText(change.error)}</Alert>}
      <table className="-mt-2 w-full border-collapse">
        <caption className="sr-only">When you get an email about each kind of news</caption>
        <thead>
          <tr className="border-b border-line text-[0.8125rem] text-muted">
            <th scope="col" className="py-2 text-left font-medium">
              What happens
            </th>
            {MAIL_TIMINGS.map((timing) => (
              <th key={timing} scope="col" className="w-13 py-2 text-center font-medium sm:w-24">
                {TIMING_WORDS[timing]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kinds.map((kind) => (
            <tr key={kind} className="border-b border-line last:border-0 hover:bg-hover">
              <th scope="row" className="py-2.5 pr-2 text-left font-medium text-ink">
                {MAIL_KIND_WORDS[kind]}
                <span className="block text-[0.8125rem] font-normal text-muted">{MEANINGS[kind]}</span>
              </th>
              {MAIL_TIMINGS.map((timing) => (
                <td key={timing} className="p-0 text-center">
                  <label className="flex min-h-14 cursor-pointer items-center justify-center">
                    <span className="sr-only">
                      {MAIL_KIND_WORDS[kind]}: {TIMING_WORDS[timing]}
                    </span>
                    <input
                      type="radio"
                      value={timing}
                      className="size-4 cursor-pointer accent-brand pointer-coarse:size-5"
                      {...register(`choices.${kind}`)}
                    />
                  </label>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {settings.at_once_if_own.length > 0 && (
        <p className="text-[0.8125rem] text-muted">
          Until you choose otherwise, ‘At once’ counts for leads and deals that you submitted. News of your colleagues’
          comes in the digest.
        </p>
      )}
      <SelectField
        label="Time zone"
        options={timeZones(settings.time_zone)}
        hint="The digest comes at 8:00 on working days if there is any news."
        fieldClassName="sm:max-w-sm"
        {...register('time_zone')}
      />
      <div className="flex justify-end border-t border-line pt-5">
        <Button type="submit" busy={change.isPending} idle={!isDirty}>
          Save Changes
        </Button>
      </div>
    </form>
  )
}

/** The time zones that the browser knows, UTC, and the chosen zone even if the browser does not know it. */
function timeZones(chosen: string): { value: string; label: string }[] {
  const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', chosen])
  return [...zones].toSorted().map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
}
