import type { Document } from '@portal/contract/documents.ts'
import { useMutation } from '@tanstack/react-query'
import { FileImage, FileText, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { formatDateTime } from '../../format/dates.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { textLinkClass } from '../../ui/description-list.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast } from '../../ui/toast.ts'
import { saveDocument, takeDocumentBack } from './documents.queries.ts'
import { formatBytes } from './format-bytes.ts'

interface DocumentRowProps {
  document: Document
  /** Called to show a picture on the page. */
  onPicture: () => void
  /** Called after the document was taken back. */
  onChange: () => void
}

/** A document: opened or saved by its name, and taken back while the person may. */
export function DocumentRow({ document, onPicture, onChange }: DocumentRowProps) {
  const { name, size, state, problem, added_by, added_at, is_lenders, is_picture, can_open, take_back_until } = document
  const [isAsking, setIsAsking] = useState(false)
  const save = useMutation({
    mutationFn: () => saveDocument(document),
    onError: toast.failure,
  })
  const takeBack = useMutation({
    mutationFn: () => takeDocumentBack(document),
    onSuccess: () => toast.success(isUnsent ? 'Document removed' : 'Document taken back'),
    onError: toast.failure,
    onSettled() {
      setIsAsking(false)
      onChange()
    },
  })
  const isUnsent = state === 'failed' || state === 'uploading'
  const Icon = is_picture ? FileImage : FileText
  return (
    <li className="flex items-start gap-2.5 border-b border-line py-2.5 last:border-0">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {can_open ? (
            <button
              type="button"
              className={`${textLinkClass} min-h-6 text-left font-medium wrap-anywhere`}
              aria-busy={save.isPending || undefined}
              onClick={() => (is_picture ? onPicture() : save.isPending || save.mutate())}
            >
              {name}
            </button>
          ) : (
            <span className="font-medium wrap-anywhere">{name}</span>
          )}
          {is_lenders && <Badge variant="primary">Lender</Badge>}
          {state === 'pending' && <Badge variant="warning">On its way</Badge>}
          {state === 'failed' && <Badge variant="error">Not sent</Badge>}
          {state === 'uploading' && <Badge variant="warning">Not finished</Badge>}
          {state === 'deleted' && <Badge>Deleted</Badge>}
        </p>
        {state === 'uploading' && take_back_until !== null && (
          <p className="text-muted">Choose the same file again, and it goes on.</p>
        )}
        {state === 'deleted' && <p className="text-muted">The lender has deleted this file. It can be sent again.</p>}
        {problem && <p className={state === 'failed' ? 'text-error-ink' : 'text-muted'}>{problem}</p>}
        <p className="text-[0.8125rem] text-muted">
          {[formatBytes(size), added_by].filter(Boolean).join(' · ')}
          {' · '}
          <time dateTime={added_at} title={formatDateTime(added_at)}>
            <RelativeTime at={added_at} />
          </time>
        </p>
      </div>
      {take_back_until !== null && (
        <Button
          variant="ghost"
          size="icon"
          aria-label={isUnsent ? `Remove ${name}` : `Take back ${name}`}
          title={isUnsent ? 'Remove' : 'Take back'}
          icon={<Undo2 aria-hidden />}
          onClick={() => setIsAsking(true)}
        />
      )}
      <ConfirmDialog
        open={isAsking}
        title={isUnsent ? 'Remove this document?' : 'Take this document back?'}
        text={isUnsent ? `${name} was not sent.` : `${name} is deleted at the lender too.`}
        confirmLabel={isUnsent ? 'Remove' : 'Take Back'}
        danger
        busy={takeBack.isPending}
        onConfirm={() => takeBack.mutate()}
        onClose={() => setIsAsking(false)}
      />
    </li>
  )
}
