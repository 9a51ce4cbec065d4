import { DOCUMENT_TYPES_TEXT, type Document } from '@portal/contract/documents.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Camera, Upload as UploadIcon } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { failureText } from '../../api/failure.ts'
import { useMay } from '../../session/may.tsx'
import { Card } from '../../ui/card.tsx'
import { Failure } from '../../ui/failure.tsx'
import { toast } from '../../ui/toast.ts'
import { ChooseFiles } from './choose-files.tsx'
import { DocumentRow } from './document-row.tsx'
import { documentsQuery } from './documents.queries.ts'
import { DocumentsOutline } from './documents-outline.tsx'
import { PictureDialog } from './picture-dialog.tsx'
import { UploadRow } from './upload-row.tsx'
import { startUploads, useUploads } from './uploads.ts'

/** The portal looks for documents at most once a minute, so a page asks once more when the next look may be (D103). */
const LOOK_AGAIN_MS = 60_000

interface DocumentsPanelProps {
  loid: string
  onChange: () => void
}

/** The documents of a referral. Files are chosen, dropped on the page, pasted, or taken with the phone's camera (D101). */
export function DocumentsPanel({ loid, onChange }: DocumentsPanelProps) {
  const documents = useQuery(documentsQuery(loid))
  const queryClient = useQueryClient()
  const uploads = useUploads().filter((one) => one.loid === loid)
  const maySend = useMay('member')
  const [picture, setPicture] = useState<Document>()
  const [news, setNews] = useState('')

  function handleChange() {
    void queryClient.invalidateQueries({ queryKey: documentsQuery(loid).queryKey })
    onChange()
  }

  function handleFiles(files: readonly File[]) {
    setNews(files.length === 1 ? `Sending ${files[0]?.name}` : `Sending ${files.length} files`)
    startUploads(files, { loid }, (name, problem) => {
      setNews(problem === null ? `${name} was sent` : '')
      if (problem !== null) toast.error(`${name} was not sent. ${problem}`)
      handleChange()
    })
  }

  const { refetch } = documents
  useEffect(() => {
    const timer = setTimeout(() => void refetch(), LOOK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [refetch])

  const isDraggedOver = useFilesOnPage(maySend ? handleFiles : undefined)
  const list = documents.data?.documents ?? []
  const sending = new Set(uploads.map((one) => one.documentId))
  return (
    <Card
      title="Documents"
      action={
        maySend && (
          <span className="flex gap-2">
            <ChooseFiles
              camera
              icon={<Camera aria-hidden />}
              className="hidden! pointer-coarse:inline-flex!"
              onChoose={handleFiles}
            >
              Photo
            </ChooseFiles>
            <ChooseFiles icon={<UploadIcon aria-hidden />} onChoose={handleFiles}>
              Upload
            </ChooseFiles>
          </span>
        )
      }
      className={clsx(isDraggedOver && 'outline-2 outline-brand outline-dashed')}
    >
      {documents.isPending ? (
        <DocumentsOutline />
      ) : documents.isError && list.length === 0 ? (
        <Failure
          text="Failed to load documents"
          detail={failureText(documents.error)}
          onRetry={() => void documents.refetch()}
        />
      ) : (
        <>
          {(list.length > 0 || uploads.length > 0) && (
            <ul aria-label="Documents">
              {uploads.map((upload) => (
                <UploadRow key={`upload ${upload.key}`} upload={upload} />
              ))}
              {list
                .filter(({ id, state }) => state !== 'uploading' || !sending.has(id))
                .map((document) => (
                  <DocumentRow
                    key={document.id}
                    document={document}
                    onPicture={() => setPicture(document)}
                    onChange={handleChange}
                  />
                ))}
            </ul>
          )}
          <Hint isEmpty={list.length === 0} maySend={maySend} mbMax={documents.data?.file_mb_max} />
        </>
      )}
      <p role="status" className="sr-only">
        {news}
      </p>
      {picture && <PictureDialog document={picture} onClose={() => setPicture(undefined)} />}
    </Card>
  )
}

function Hint({ isEmpty, maySend, mbMax }: { isEmpty: boolean; maySend: boolean; mbMax: number | undefined }) {
  if (!maySend) return isEmpty ? <p className="text-muted">No documents yet.</p> : null
  return (
    <p className={clsx('text-muted', !isEmpty && 'mt-3 text-[0.8125rem]')}>
      {isEmpty && 'No documents yet. '}Drop files on the page, or paste them: {DOCUMENT_TYPES_TEXT}
      {mbMax !== undefined && `, up to ${mbMax} MB each`}.
    </p>
  )
}

/** Takes files that are dropped anywhere on the page, or pasted. Returns whether files are being dragged over it. */
function useFilesOnPage(onFiles: ((files: readonly File[]) => void) | undefined): boolean {
  const [isDraggedOver, setIsDraggedOver] = useState(false)
  const handleFiles = useEffectEvent((files: FileList | undefined) => {
    if (files && files.length > 0) onFiles?.([...files])
  })
  const isOn = onFiles !== undefined
  useEffect(() => {
    if (!isOn) return undefined
    const leaving = new AbortController()
    const { signal } = leaving
    function handleOver(event: DragEvent) {
      if (!event.dataTransfer?.types.includes('Files')) return
      // Without this, the browser would open the file in place of the page.
      event.preventDefault()
      setIsDraggedOver(true)
    }
    window.addEventListener('dragover', handleOver, { signal })
    window.addEventListener('dragleave', (event) => !event.relatedTarget && setIsDraggedOver(false), { signal })
    window.addEventListener(
      'drop',
      (event) => {
        setIsDraggedOver(false)
        if (!event.dataTransfer?.types.includes('Files')) return
        event.preventDefault()
        handleFiles(event.dataTransfer.files)
      },
      { signal },
    )
    window.addEventListener('paste', (event) => handleFiles(event.clipboardData?.files), { signal })
    return () => leaving.abort()
  }, [isOn])
  return isDraggedOver
}
