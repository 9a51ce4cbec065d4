import { Eye, EyeOff, TriangleAlert } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { useBlocker } from '../router/blocker.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { ConfirmDialog } from './dialog.tsx'

const MASK = '•'.repeat(24)

interface OneTimeSecretProps {
  title: string
  text: string
  /** The secret's name in the labels of the buttons, for example 'API key'. */
  label: string
  value: string
  /** Whether the person may leave the page without a question, because the session has ended. */
  mayLeave: () => boolean
  onDone: () => void
}

/**
 * A secret that cannot be read again later. It takes focus when it appears, and hides its value until the person
 * shows it. Until the person has copied or seen it, leaving the page needs a confirmation. Use another `key` for another secret.
 */
export function OneTimeSecret({ title, text, label, value, mayLeave, onDone }: OneTimeSecretProps) {
  const titleId = useId()
  const ref = useRef<HTMLHeadingElement>(null)
  const [isShown, setIsShown] = useState(false)
  const [isTaken, setIsTaken] = useState(false)
  const guard = useBlocker(() => !isTaken && !mayLeave())
  useEffect(() => ref.current?.focus(), [])
  return (
    <section aria-labelledby={titleId} className="panel overflow-hidden border-warning-dot/50">
      <div className="flex gap-3 bg-warning-tint px-5 py-4 text-warning-ink">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <div className="min-w-0">
          <h2 id={titleId} ref={ref} tabIndex={-1} className="rounded-sm text-[0.9375rem] font-semibold">
            {title}
          </h2>
          <p className="mt-0.5">{text}</p>
        </div>
      </div>
      <div className="grid gap-4 p-5">
        <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-sunken py-1.5 pr-1.5 pl-4">
          <code className="min-w-0 flex-1 basis-48 font-mono text-[0.8125rem] break-all">
            {isShown ? value : <MaskedText label={label} />}
          </code>
          <span className="flex items-center gap-1">
            <Button
              variant="ghost"
              size="icon"
              aria-label={`${isShown ? 'Hide' : 'Show'} ${label}`}
              icon={isShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
              onClick={() => {
                setIsShown(!isShown)
                setIsTaken(true)
              }}
            />
            <CopyButton text={value} label={`Copy ${label}`} variant="primary" onCopied={() => setIsTaken(true)} />
          </span>
        </div>
        <div className="flex justify-end">
          <Button variant="secondary" onClick={onDone}>
            I have saved it
          </Button>
        </div>
      </div>
      <ConfirmDialog
        open={guard.isAsking}
        title={`Leave without the ${label}?`}
        text="You have not copied it, and it cannot be shown again."
        confirmLabel="Leave"
        cancelLabel="Stay"
        danger
        onConfirm={() => guard.answer(true)}
        onClose={() => guard.answer(false)}
      />
    </section>
  )
}

/** Replaces the hidden part of a secret with dots. */
export function MaskedText({ label, start = '' }: { label: string; start?: string }) {
  return (
    <>
      <span aria-hidden>
        {start}
        {MASK}
      </span>
      <span className="sr-only">{label}, hidden</span>
    </>
  )
}
