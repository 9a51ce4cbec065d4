import { CONSENT_TEXT } from '@portal/contract/lead-form.ts'
import { ShieldCheck } from 'lucide-react'
import { PrivacyNotice } from '../../session/privacy-notice.tsx'

/** What a person confirms who submits rows of a file. */
export function ConsentLine() {
  return (
    <>
      <p className="flex items-start gap-2.5 text-muted max-sm:text-xs">
        <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span>{CONSENT_TEXT} This counts for every row.</span>
      </p>
      <PrivacyNotice whose="the applicants’" className="mt-1.5 pl-6.5 text-muted max-sm:text-xs" />
    </>
  )
}
