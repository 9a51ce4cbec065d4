import {
  acceptImportOffers,
  changeImportColumns,
  discardImport,
  exportImportRows,
  type Import,
  type ImportFieldName,
  type ImportRow,
  listImportRows,
  listImports,
  mendImportRow,
  type RowsShown,
  readImportTemplate,
  startImport,
  submitImport,
  undoImport,
} from '@portal/contract/imports.ts'
import { CONSENT_VERSION } from '@portal/contract/lead-form.ts'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { saveFile } from '../views/save-file.ts'

const PROGRESS_POLL_MS = 1_000

export function importsQuery() {
  return queryOptions({
    queryKey: ['imports', 'list'],
    queryFn: ({ signal }) => call(listImports, { signal }),
    refetchInterval: ({ state }) => (state.data?.imports.some(isUnderWay) ? PROGRESS_POLL_MS : false),
  })
}

/** Whether the portal is submitting the import's rows, or undoing the import. */
export function isUnderWay({ state, undo }: Import): boolean {
  return state === 'submitting' || (undo !== null && undo.done_at === null)
}

export interface RowsWanted {
  id: string
  show: RowsShown
  page: number
}

/** After a change of filter, the old rows stay until the new rows have loaded. */
export function importRowsQuery({ id, ...query }: RowsWanted) {
  return queryOptions({
    queryKey: ['imports', 'rows', id, query],
    queryFn: ({ signal }) => call(listImportRows, { params: { id }, query, signal }),
    placeholderData: keepPreviousData,
  })
}

export function checkFile(file: File): Promise<Import> {
  return call(startImport, { query: { name: file.name.slice(0, 200) }, bytes: file })
}

export function saveColumns(id: string, fields: (ImportFieldName | null)[]): Promise<Import> {
  return call(changeImportColumns, { params: { id }, body: { fields } })
}

export function mendRow(id: string, number: number, values: ImportRow['values']) {
  return call(mendImportRow, { params: { id }, body: { number, values } })
}

export function acceptOffers(id: string): Promise<Import> {
  return call(acceptImportOffers, { params: { id } })
}

export function discardFile(id: string) {
  return call(discardImport, { params: { id } })
}

export function submitRows(id: string, rows: number, withDuplicates: boolean): Promise<Import> {
  return call(submitImport, { params: { id }, body: { consentVersion: CONSENT_VERSION, withDuplicates, rows } })
}

export function undoRows(id: string): Promise<Import> {
  return call(undoImport, { params: { id } })
}

/** Shows the import as the server has answered it, in place of the one in the list. */
export function showImport(client: QueryClient, changed: Import): void {
  client.setQueryData(importsQuery().queryKey, (list) => ({
    imports: [
      changed,
      ...(list?.imports.filter(({ id, is_own, state }) => id !== changed.id && !(is_own && state === 'checked')) ?? []),
    ],
  }))
}

export function saveTemplate(): Promise<void> {
  return saveFile(readImportTemplate, {}, 'leads-template.csv')
}

export function saveLeftOut(id: string): Promise<void> {
  return saveFile(exportImportRows, { params: { id } }, 'leads-left-out.csv')
}
