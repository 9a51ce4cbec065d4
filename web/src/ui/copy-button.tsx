import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, type ButtonSize, type ButtonVariant } from './button.tsx'

const COPIED_STATE_MS = 2_000

interface CopyButtonProps {
  text: string
  /** Says what is copied; the visible text too, unless the button is an icon. */
  label: string
  variant?: ButtonVariant
  size?: ButtonSize
  onFailure?: () => void
}

export function CopyButton({ text, label, variant = 'secondary', size = 'small', onFailure }: CopyButtonProps) {
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
    } catch {
      onFailure?.() // the browser refused; only the page knows what to say
    }
  }

  const shown = isCopied ? 'Copied' : label
  return (
    <Button
      variant={variant}
      size={size}
      aria-label={size === 'icon' ? shown : undefined}
      icon={isCopied ? <Check aria-hidden className="text-success-dot" /> : <Copy aria-hidden />}
      onClick={handleClick}
    >
      {size === 'icon' ? null : <span aria-live="polite">{shown}</span>}
    </Button>
  )
}
