import { NOTE_LENGTH_MAX } from '@portal/contract/limits.ts'
import { noteContent, noteProblem } from '@portal/contract/note-content.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { showsTaxFileNumber } from '@portal/contract/tax-file-number.ts'
import { useMutation } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { type SubmitEvent, useRef, useState } from 'react'
import { useIdempotencyKey } from '../../api/idempotency-key.ts'
import { keepTabAttempt, keepTabDraft, readTabAttempt, readTabDraft } from '../../session/tab-drafts.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { isEnter } from '../../ui/is-enter.ts'
import { toast } from '../../ui/toast.ts'
import { noteDraftName } from './note-draft.ts'
import { noteFailureText } from './note-failure-text.ts'
import { type NoteParent, sendNote } from './notes.queries.ts'
import { TaxFileNumberWarning } from './tax-file-number-warning.tsx'

interface NoteFormProps {
  parent: NoteParent
  /** The name of the field, and what the button says. */
  label?: string
  placeholder?: string
  action?: string
  /** Set this if the person has just opened the form. */
  hasFocus?: boolean
  onAdded: () => void
  /** Closes the form without sending the note. */
  onCancel?: () => void
}

/**
 * The form for a new note. It keeps the text in this tab until the note is stored or the session ends, even if the
 * person leaves the page.
 */
export function NoteForm({
  parent,
  label = 'Add a note',
  placeholder = 'Write a note…',
  action = 'Add Note',
  hasFocus = false,
  onAdded,
  onCancel,
}: NoteFormProps) {
  const draftName = noteDraftName(parent.requestId ?? parent.loid)
  const [text, setText] = useState(() => readTabDraft(draftName))
  const [isChecked, setIsChecked] = useState(false)
  const [isWarned, setIsWarned] = useState(false)
  const ref = useRef<HTMLTextAreaElement>(null)
  const idempotency = useIdempotencyKey(readTabAttempt(draftName), (attempt) => keepTabAttempt(draftName, attempt))
  const add = useMutation({
    mutationFn: (content: string) => sendNote(parent, content, idempotency.keyFor),
    onSuccess(_note, content) {
      idempotency.renew()
      setText('')
      setIsChecked(false)
      // The person may have left the page, come back and changed the text before the answer arrived.
      if (noteContent(readTabDraft(draftName)) === content) keepTabDraft(draftName, '')
      toast.success(
        parent.requestId === undefined ? 'Note added successfully' : 'Your answer is on its way to the lender',
      )
      onAdded()
    },
    onError: (error) => toast.error(noteFailureText(error)),
  })

  const length = text.trim().length
  const isTooLong = length > NOTE_LENGTH_MAX
  const content = noteContent(text)
  const problem = noteProblem(content)

  function changeText(value: string) {
    setText(value)
    setIsWarned(false)
    keepTabDraft(draftName, value)
  }

  function handleSubmit(event: SubmitEvent) {
    event.preventDefault()
    if (add.isPending) return
    setIsChecked(true)
    if (problem !== undefined) ref.current?.focus()
    else if (showsTaxFileNumber(content)) setIsWarned(true)
    else add.mutate(content)
  }

  function handleSendAnyway() {
    // The button that has the focus goes with the warning.
    ref.current?.focus()
    setIsWarned(false)
    if (!add.isPending) add.mutate(content)
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="grid grid-cols-1 gap-2">
      <TextArea
        ref={ref}
        label={label}
        labelHidden
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has just opened the form
        autoFocus={hasFocus}
        placeholder={placeholder}
        className="min-h-16!"
        value={text}
        error={isChecked || isTooLong ? problem : undefined}
        readOnly={add.isPending}
        hint={
          <span className={clsx('block tabular-nums', isTooLong && 'font-medium text-error-ink')}>
            {formatNumber(length)} / {formatNumber(NOTE_LENGTH_MAX)}
            <span className="sr-only"> characters</span>
          </span>
        }
        onChange={(event) => changeText(event.target.value)}
        aria-keyshortcuts="Control+Enter Meta+Enter"
        onKeyDown={(event) => {
          if (isEnter(event) && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
        }}
        // Leaving an empty field is not a mistake yet.
        onBlur={() => setIsChecked(isChecked || length > 0)}
      />
      {/* The buttons share the line of the count. */}
      <div className="-mt-7 ml-auto flex w-fit gap-2">
        {onCancel && (
          <Button variant="ghost" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" busy={add.isPending}>
          {action}
        </Button>
      </div>
      {isWarned && problem === undefined && <TaxFileNumberWarning onSend={handleSendAnyway} />}
    </form>
  )
}
