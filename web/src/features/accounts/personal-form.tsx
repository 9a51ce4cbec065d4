import { zodResolver } from '@hookform/resolvers/zod'
import { businessNumberWarning } from '@portal/contract/abn.ts'
import { type ProfileChange, profileChange } from '@portal/contract/account-forms.ts'
import { changeProfile, type Profile } from '@portal/contract/accounts.ts'
import { GST_REGISTERED } from '@portal/contract/choices.ts'
import { formatPhone, readPhone } from '@portal/contract/phone.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm, useWatch } from 'react-hook-form'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/may.tsx'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { changedValues, DROP_CHANGES, KEEP_CHANGES } from '../../ui/changed-values.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { SoftWarning } from '../../ui/soft-warning.tsx'
import { toast } from '../../ui/toast.ts'
import { showChangedProfile } from './accounts.queries.ts'
import { updateProfileFailureText } from './failure-texts.ts'
import { showFieldErrors } from './field-errors.ts'

const FIELDS = ['business_name', 'first_name', 'last_name', 'phone', 'abn', 'gst_registered'] as const

const OWNERS_CHANGE_IT = 'An owner can change it.'
const EMAIL_STAYS = 'Change it below, under Email Address.'

export function PersonalForm({ profile }: { profile: Profile }) {
  const queryClient = useQueryClient()
  const mayRename = useMay('owner')
  const { control, register, handleSubmit, formState, reset, setError } = useForm({
    mode: 'onTouched',
    resolver: zodResolver(profileChange(profile)),
    defaultValues: formValues(profile),
    values: formValues(profile),
    resetOptions: KEEP_CHANGES,
  })
  const { errors, isDirty, dirtyFields, touchedFields } = formState
  const abn = useWatch({ control, name: 'abn' })
  const numberWarning = touchedFields.abn ? businessNumberWarning(abn ?? '', 'AU') : null
  const ownersHint = mayRename ? undefined : OWNERS_CHANGE_IT

  const change = useMutation({
    mutationFn: (body: Partial<ProfileChange>) => call(changeProfile, { body }),
    onSuccess(changed) {
      showChangedProfile(queryClient, changed)
      reset(formValues(changed), DROP_CHANGES)
      toast.success('Profile updated successfully')
    },
    onError: (error) => showFieldErrors(error, FIELDS, setError),
  })

  return (
    <form
      noValidate
      onSubmit={handleSubmit((values) =>
        change.mutate(changedValues({ ...values, phone: storedPhone(values.phone ?? null) }, dirtyFields)),
      )}
      className="grid grid-cols-[minmax(0,1fr)] gap-4"
    >
      {change.isError && <Alert kind="error">{updateProfileFailureText(change.error)}</Alert>}
      <TextField
        label="Business name"
        required={mayRename}
        autoComplete="organization"
        readOnly={!mayRename}
        hint={ownersHint}
        error={errors.business_name?.message}
        {...register('business_name')}
      />
      {profile.tax && (
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <TextField
            label="ABN"
            inputMode="numeric"
            readOnly={!mayRename}
            hint={numberWarning ? <SoftWarning text={numberWarning} /> : ownersHint}
            error={errors.abn?.message}
            {...register('abn')}
          />
          <SelectField
            label="Registered for GST"
            placeholder="Not said"
            options={GST_REGISTERED}
            disabled={!mayRename}
            hint={ownersHint}
            error={errors.gst_registered?.message}
            {...register('gst_registered', { setValueAs: (value: string | null) => value || null })}
          />
        </div>
      )}
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <TextField
          label="First name"
          autoComplete="given-name"
          error={errors.first_name?.message}
          {...register('first_name')}
        />
        <TextField
          label="Last name"
          autoComplete="family-name"
          error={errors.last_name?.message}
          {...register('last_name')}
        />
        <TextField
          label="Email"
          type="email"
          value={profile.email}
          readOnly
          hint={
            profile.email_verified
              ? EMAIL_STAYS
              : `${EMAIL_STAYS} To verify it, open the link in our welcome email or reset your password by email.`
          }
        />
        <TextField label="Phone" type="tel" autoComplete="tel" error={errors.phone?.message} {...register('phone')} />
      </div>
      <div className="mt-2 flex flex-wrap items-center justify-between gap-4 border-t border-line pt-5">
        <div className="flex flex-wrap items-center gap-x-2">
          <p className="text-[0.8125rem] break-all text-muted max-sm:text-xs">
            Partner ID <span className="inline-block">{profile.id}</span>
          </p>
          <span className="max-sm:-ml-3">
            <CopyButton text={profile.id} label="Copy partner ID" shortLabel="Copy" variant="ghost" />
          </span>
        </div>
        <Button type="submit" className="ml-auto" busy={change.isPending} idle={!isDirty}>
          Save Changes
        </Button>
      </div>
    </form>
  )
}

function formValues(profile: Profile) {
  const { business_name, first_name, last_name, phone, tax } = profile
  return {
    business_name,
    first_name: first_name ?? '',
    last_name: last_name ?? '',
    phone: shownPhone(phone),
    abn: tax?.abn ?? '',
    gst_registered: tax?.gst_registered ?? null,
  }
}

/** Returns the international form of an Australian or New Zealand number (D19), and any other number as typed. */
function storedPhone(typed: string | null): string | null {
  return typed && (readPhone(typed)?.e164 ?? typed)
}

function shownPhone(stored: string | null): string {
  return stored?.startsWith('+') ? formatPhone(stored) : (stored ?? '')
}
