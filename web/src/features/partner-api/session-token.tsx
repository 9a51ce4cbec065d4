import { useSyncExternalStore } from 'react'
import { onTokenChange, readToken } from '../../api/token.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { MaskedText } from '../../ui/secret.tsx'

const SHOWN_LENGTH = 4

/** The token of the present session (D45), masked and with a copy button. A refreshed token is shown at once. */
export function SessionToken() {
  const token = useSyncExternalStore(onTokenChange, readToken)
  if (!token) return null
  return (
    <div className="frame flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-5 py-4">
      <div className="min-w-0">
        <h3 className="text-[0.8125rem] text-muted">Your session token</h3>
        <p className="mt-0.5 font-mono text-[0.8125rem] break-all">
          <MaskedText label="Session token" start={token.slice(0, SHOWN_LENGTH)} />
        </p>
        <p className="mt-1 text-[0.8125rem] text-muted">
          Use this token to try things out: it acts as you and ends with your session. Your own systems should use an
          API key.
        </p>
      </div>
      <CopyButton text={token} label="Copy session token" shortLabel="Copy" />
    </div>
  )
}
