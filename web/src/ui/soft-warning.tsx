import { TriangleAlert } from 'lucide-react'

/** A remark under a field. It does not stop the submission. */
export function SoftWarning({ text }: { text: string }) {
  return (
    <span role="status" className="flex items-start gap-1.5 text-warning-ink">
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      {text}
    </span>
  )
}
