import type { Document } from '@portal/contract/documents.ts'
import { useQuery } from '@tanstack/react-query'
import { failureText } from '../../api/failure.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { readDocument, saveDocument } from './documents.queries.ts'

/** Shows a picture, which only this page can read, and saves it (D104). */
export function PictureDialog({ document, onClose }: { document: Document; onClose: () => void }) {
  const picture = useQuery({
    queryKey: ['documents', 'picture', document.id],
    queryFn: () => readDocument(document),
    // A picture is opened in the CRM each time, and is not kept.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={document.name}
      className="w-[min(60rem,calc(100vw-2rem))]!"
      actions={<Button onClick={() => void saveDocument(document)}>Save</Button>}
    >
      {picture.isError ? (
        <Failure
          text="Failed to open the picture"
          detail={failureText(picture.error)}
          onRetry={() => void picture.refetch()}
        />
      ) : picture.isPending ? (
        <Skeleton className="h-64" />
      ) : (
        <img
          ref={showing(picture.data)}
          alt={document.name}
          className="mx-auto max-h-[70vh] max-w-full object-contain"
        />
      )}
    </Dialog>
  )
}

/** Gives a picture the address of the blob, for as long as the picture is on the page. */
function showing(blob: Blob) {
  return (picture: HTMLImageElement) => {
    const address = URL.createObjectURL(blob)
    picture.src = address
    return () => URL.revokeObjectURL(address)
  }
}
