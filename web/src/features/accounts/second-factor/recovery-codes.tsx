import { brandInSentence } from '@portal/contract/brand.ts'
import { Download, Printer, TriangleAlert } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import { BRAND_NAME } from '../../../ui/brand-name.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'

/**
 * Shows the recovery codes, which cannot be read again later. The heading takes focus when the section appears. The
 * section is printed without the rest of the page.
 */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const titleId = useId()
  const ref = useRef<HTMLHeadingElement>(null)
  useEffect(() => ref.current?.focus(), [])
  const text = codes.join('\n')

  return (
    <section data-printed-alone aria-labelledby={titleId} className="panel overflow-hidden border-warning-dot/50">
      <div className="flex gap-3 bg-warning-tint px-5 py-4 text-warning-ink">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <div className="min-w-0">
          <h2 id={titleId} ref={ref} tabIndex={-1} className="rounded-sm text-[0.9375rem] font-semibold">
            Save your recovery codes
          </h2>
          <p className="mt-0.5">
            If you do not have your device, sign in to {brandInSentence(BRAND_NAME)} with one of these codes. Each works
            once. They will not be shown again.
          </p>
        </div>
      </div>
      <div className="grid gap-4 p-5">
        <ul className="grid grid-cols-1 gap-x-6 gap-y-1.5 rounded-lg border border-line bg-sunken px-4 py-3 font-mono text-[0.8125rem] min-[22rem]:grid-cols-2">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="flex flex-wrap justify-between gap-2 print:hidden">
          <div className="flex flex-wrap gap-2">
            <CopyButton text={text} label="Copy recovery codes" shortLabel="Copy" />
            <Button
              variant="secondary"
              size="small"
              icon={<Download aria-hidden />}
              aria-label="Download recovery codes"
              onClick={() => save(text)}
            >
              Download
            </Button>
            <Button
              variant="secondary"
              size="small"
              icon={<Printer aria-hidden />}
              aria-label="Print recovery codes"
              onClick={() => window.print()}
            >
              Print
            </Button>
          </div>
          <Button onClick={onDone}>I have saved them</Button>
        </div>
      </div>
    </section>
  )
}

function save(text: string) {
  const url = URL.createObjectURL(
    new Blob([`Recovery codes of ${brandInSentence(BRAND_NAME)}\n\n${text}\n`], { type: 'text/plain' }),
  )
  const link = document.createElement('a')
  link.href = url
  link.download = 'partner-portal-recovery-codes.txt'
  link.click()
  URL.revokeObjectURL(url)
}
