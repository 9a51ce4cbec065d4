import { clsx } from 'clsx'
import { LoaderCircle } from 'lucide-react'

export function Spinner({ label, className }: { label: string; className?: string }) {
  return (
    <div role="status" className={clsx('flex items-center justify-center gap-2.5 p-8 text-muted', className)}>
      <LoaderCircle aria-hidden className="size-5 animate-spin" />
      <span>{label}</span>
    </div>
  )
}
