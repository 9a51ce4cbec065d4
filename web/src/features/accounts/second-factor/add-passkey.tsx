import { PASSKEY_NAME_LENGTH_MAX } from '@portal/contract/limits.ts'
import { addPasskey, beginPasskey } from '@portal/contract/second-factor.ts'
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { call } from '../../../api/call.ts'
import { failureText } from '../../../api/failure.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import { createPasskey, deviceName } from './device-passkeys.ts'

interface AddPasskeyProps {
  onDone: (recoveryCodes: string[] | null) => void
  onCancel: () => void
}

export function AddPasskey({ onDone, onCancel }: AddPasskeyProps) {
  const [name, setName] = useState(() => deviceName(navigator.userAgent))
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  const add = useMutation({
    mutationFn: async () => {
      const passkey = await createPasskey(await call(beginPasskey))
      return call(addPasskey, { body: { name, passkey } })
    },
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
  })

  function handleSubmit(event: SubmitEvent) {
    event.preventDefault()
    if (name.trim() !== '' && !add.isPending) add.mutate()
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="grid grid-cols-1 gap-4">
      {add.isError && <Alert kind="error">{failureText(add.error)}</Alert>}
      <TextField
        ref={field}
        label="Name"
        name="name"
        value={name}
        autoComplete="off"
        maxLength={PASSKEY_NAME_LENGTH_MAX}
        hint="The list shows the passkey under this name."
        onChange={(event) => setName(event.target.value)}
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" disabled={name.trim() === ''} busy={add.isPending}>
          Make passkey
        </Button>
      </div>
    </form>
  )
}
