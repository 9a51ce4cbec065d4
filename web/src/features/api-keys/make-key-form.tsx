import { zodResolver } from '@hookform/resolvers/zod'
import { makeNamedKey, NewNamedKey } from '@portal/contract/api-keys.ts'
import { KEY_RIGHT_NAMES, KEY_RIGHT_TEXTS, KEY_RIGHTS, type KeyRight } from '@portal/contract/key-rights.ts'
import { API_KEY_NAME_LENGTH_MAX } from '@portal/contract/limits.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { call } from '../../api/call.ts'
import { Failure, failureText } from '../../api/failure.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { showNamedKeys } from './api-keys.queries.ts'

const BLANK: { name: string; rights: KeyRight[] } = { name: '', rights: [] }

interface MakeKeyFormProps {
  onMade: (name: string, key: string) => void
  onCancel: () => void
}

export function MakeKeyForm({ onMade, onCancel }: MakeKeyFormProps) {
  const queryClient = useQueryClient()
  const { register, handleSubmit, formState, setError } = useForm({
    resolver: zodResolver(NewNamedKey),
    defaultValues: BLANK,
  })
  const { errors } = formState

  const make = useMutation({
    mutationFn: (body: NewNamedKey) => call(makeNamedKey, { body }),
    // The answer contains the key, so it is not cached.
    gcTime: 0,
    onSuccess({ api_key: key, ...made }, { name }) {
      showNamedKeys(queryClient, made)
      onMade(name, key)
    },
    onError(error) {
      const message = nameError(error)
      if (message) setError('name', { type: 'server', message }, { shouldFocus: true })
    },
  })

  return (
    <form noValidate onSubmit={handleSubmit((form) => make.mutate(form))} className="grid grid-cols-1 gap-4">
      {make.isError && !nameError(make.error) && <Alert kind="error">{failureText(make.error)}</Alert>}
      <TextField
        label="Name"
        required
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the form can come after its dialog has opened
        autoFocus
        autoComplete="off"
        maxLength={API_KEY_NAME_LENGTH_MAX}
        hint="Records and logs show it, for example “Website form”."
        error={errors.name?.message}
        {...register('name')}
      />
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-[0.8125rem] font-medium text-ink">What it may do</legend>
        {KEY_RIGHTS.map((right) => (
          <Checkbox
            key={right}
            label={KEY_RIGHT_NAMES[right]}
            hint={KEY_RIGHT_TEXTS[right]}
            value={right}
            {...register('rights')}
          />
        ))}
        {errors.rights && (
          <p role="alert" className="text-[0.8125rem] text-error-ink">
            {errors.rights.message}
          </p>
        )}
      </fieldset>
      <div className="mt-2 flex flex-wrap justify-end gap-2">
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" busy={make.isPending}>
          Make the Key
        </Button>
      </div>
    </form>
  )
}

/** The server's message about the name, for example that another key has it. */
function nameError(error: unknown): string | undefined {
  return error instanceof Failure ? error.fields['name'] : undefined
}
