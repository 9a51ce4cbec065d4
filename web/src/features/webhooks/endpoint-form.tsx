import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { Failure, failureDetail } from '../../api/failure.ts'
import { FailureAlert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { UPDATE_FAILED, webhookUrlProblem } from './endpoint-url.ts'

interface EndpointFormProps {
  url: string | null
  busy: boolean
  error: Error | null
  onSave: (url: string) => void
  onCancel: () => void
}

/** The form for the webhook URL. The field takes focus when the form opens. */
export function EndpointForm({ url, busy, error, onSave, onCancel }: EndpointFormProps) {
  const [text, setText] = useState(url ?? '')
  const [isChecked, setIsChecked] = useState(false)
  const [refused, setRefused] = useState<string>()
  const ref = useRef<HTMLInputElement>(null)
  useEffect(() => ref.current?.focus(), [])

  const isEmpty = text.trim() === ''
  const problem = webhookUrlProblem(text)
  const refusal = error instanceof Failure ? error.fields['webhook_url'] : undefined
  // A value that the server refused is shown as wrong only until the person changes it.
  const shown = isChecked && !isEmpty ? (problem ?? (refused === text ? refusal : undefined)) : undefined

  function handleSubmit(event: SubmitEvent) {
    event.preventDefault()
    if (busy || isEmpty) return
    setIsChecked(true)
    if (problem) {
      ref.current?.focus()
      return
    }
    setRefused(text)
    onSave(text.trim())
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="grid gap-4">
      {error && !refusal && !busy && <FailureAlert text={UPDATE_FAILED} detail={failureDetail(error)} />}
      <TextField
        ref={ref}
        label="Webhook URL"
        type="url"
        inputMode="url"
        placeholder="https://example.com/webhooks"
        autoComplete="off"
        spellCheck={false}
        value={text}
        readOnly={busy}
        error={shown}
        hint="HTTPS only. Each account has one URL."
        className="font-mono text-[0.8125rem]"
        onChange={(event) => setText(event.target.value)}
        onBlur={() => setIsChecked(!isEmpty)}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" busy={busy} disabled={isEmpty}>
          Save URL
        </Button>
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
