import { X } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { TaxFileNumberWarning } from '../notes/tax-file-number-warning.tsx'
import { formatBytes } from './format-bytes.ts'
import { dismissUpload, type Upload } from './uploads.ts'

/** A file that this page is sending, with its progress. */
export function UploadRow({ upload }: { upload: Upload }) {
  const { key, name, size, sent, state, problem, onSendAnyway } = upload
  return (
    <li className="border-b border-line py-2.5 last:border-0">
      <div className="flex items-center justify-between gap-3">
        <p className="min-w-0 font-medium wrap-anywhere">{name}</p>
        {(state === 'failed' || state === 'warned') && (
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Dismiss ${name}`}
            icon={<X aria-hidden />}
            onClick={() => dismissUpload(key)}
          />
        )}
      </div>
      {state === 'warned' ? (
        <TaxFileNumberWarning onSend={() => onSendAnyway?.()} />
      ) : state === 'failed' ? (
        <p className="text-[0.8125rem] text-error-ink">Not sent. {problem}</p>
      ) : (
        <>
          <p className="mb-1.5 text-[0.8125rem] text-muted tabular-nums">
            {TEXTS[state]} {formatBytes(sent)} of {formatBytes(size)}
          </p>
          <ProgressBar label={`Sending ${name}`} percent={(sent / size) * 100} />
        </>
      )}
    </li>
  )
}

const TEXTS = {
  sending: 'Sending:',
  waiting: 'No connection. Goes on by itself:',
  checking: 'Checking:',
}
