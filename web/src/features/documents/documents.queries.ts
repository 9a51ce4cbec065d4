import { type Document, listDocuments, openDocument, takeBack } from '@portal/contract/documents.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { fetchFile, saveFile } from '../../api/download.ts'

/** How often the list is fetched again while a file is on its way to the CRM. */
const PENDING_POLL_MS = 4_000

export function documentsQuery(loid: string) {
  return queryOptions({
    queryKey: ['documents', loid],
    queryFn: ({ signal }) => call(listDocuments, { params: { loid }, signal }),
    refetchInterval: ({ state }) =>
      state.data?.documents.some((one) => one.state === 'pending' && one.problem === null) ? PENDING_POLL_MS : false,
  })
}

export function readDocument({ id }: Document): Promise<Blob> {
  return fetchFile(openDocument, { params: { id } })
}

export async function saveDocument(document: Document): Promise<void> {
  saveFile(await readDocument(document), document.name)
}

export function takeDocumentBack({ id }: Document) {
  return call(takeBack, { params: { id } })
}
