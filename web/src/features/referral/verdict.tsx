import { type Verdict, verdictText } from '@portal/contract/verdict.ts'
import { clsx } from 'clsx'
import { ShieldCheck } from 'lucide-react'

/** What the lender says of a lead, beside its status (D112). Nothing is shown where the lender says nothing. */
export function VerdictText({ verdict, className }: { verdict: Verdict; className?: string }) {
  const text = verdictText(verdict)
  if (text === null) return null
  return (
    <span title={`The lender’s verdict: ${text}`} className={clsx('inline-flex min-w-0 items-center gap-1', className)}>
      <ShieldCheck aria-hidden className="size-3.5 shrink-0" strokeWidth={1.75} />
      <span className="sr-only">The lender’s verdict: </span>
      <span className="min-w-0 wrap-anywhere">{text}</span>
    </span>
  )
}

/** The same as a sign, for a row of one line or of a phone, which has no room for words. */
export function VerdictMark({ verdict }: { verdict: Verdict }) {
  const text = verdictText(verdict)
  if (text === null) return null
  return (
    <span title={`The lender’s verdict: ${text}`} className="hidden max-sm:inline one-line:inline">
      <ShieldCheck aria-hidden className="size-3.5 text-muted" strokeWidth={1.75} />
      <span className="sr-only">The lender’s verdict: {text}</span>
    </span>
  )
}
