import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, type ButtonSize, type ButtonVariant } from './button.tsx'
import { toast } from './toast.ts'

const COPIED_STATE_MS = 2_000

interface CopyButtonProps {
  text: string
  /** The button's name, such as `Copy LOID`. */
  label: string
  /** The button's text if `label` is too long for the button. `label` must begin with this text. */
  shortLabel?: string
  variant?: ButtonVariant
  /** With `icon`, the button has no text and fits into a line of text. */
  size?: ButtonSize
  onCopied?: () => void
}

export function CopyButton({
  text,
  label,
  shortLabel = label,
  size = 'small',
  variant = size === 'icon' ? 'ghost' : 'secondary',
  onCopied,
}: CopyButtonProps) {
  const isIcon = size === 'icon'
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), COPIED_STATE_MS)
    return () => clearTimeout(timer)
  }, [isCopied])

  async function handleClick() {
    try {
      await navigator.clipboard.writeText(text)
      setIsCopied(true)
      onCopied?.()
    } catch {
      // The browser refused, or the page was loaded over plain http, where there is no clipboard.
      toast.error('Failed to copy to clipboard')
    }
  }

  return (
    <>
      <Button
        variant={variant}
        size={size}
        className={isIcon ? '-my-2 pointer-coarse:-my-3' : undefined}
        title={isIcon ? label : undefined}
        aria-label={isIcon || (!isCopied && shortLabel !== label) ? label : undefined}
        icon={
          isCopied ? (
            <Check aria-hidden className={variant === 'primary' ? undefined : 'text-success-dot'} />
          ) : (
            <Copy aria-hidden />
          )
        }
        onClick={handleClick}
      >
        {isIcon ? null : isCopied ? 'Copied' : shortLabel}
      </Button>
      {/* This is beside the button and not inside it, because some screen readers do not announce changes inside a
          button. */}
      <span role="status" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </>
  )
}
