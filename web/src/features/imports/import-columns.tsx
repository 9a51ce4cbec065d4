import {
  IMPORT_FIELD_LABELS,
  IMPORT_FIELD_NAMES,
  IMPORT_FIELDS_NEEDED,
  type Import,
  type ImportFieldName,
} from '@portal/contract/imports.ts'
import { useMutation } from '@tanstack/react-query'
import { Alert } from '../../ui/alert.tsx'
import { Collapsible } from '../../ui/collapsible.tsx'
import { SelectField } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.ts'
import { saveColumns } from './imports.queries.ts'

const OPTIONS = IMPORT_FIELD_NAMES.map((value) => ({ value, label: IMPORT_FIELD_LABELS[value] }))

/** What each column of the file is. A field that is chosen for one column leaves the other. */
export function ImportColumns({ checked, onChanged }: { checked: Import; onChanged: (changed: Import) => void }) {
  const { id, columns } = checked
  const change = useMutation({
    mutationFn: (fields: (ImportFieldName | null)[]) => saveColumns(id, fields),
    onSuccess: onChanged,
    onError: toast.failure,
  })
  // Until the server has answered, the choice of the person is shown.
  const fields = change.isPending ? change.variables : columns.map(({ field }) => field)
  const missing = missingFields(fields)

  function handleField(at: number, chosen: string) {
    const field = IMPORT_FIELD_NAMES.find((name) => name === chosen) ?? null
    change.mutate(fields.map((before, column) => (column === at ? field : before === field ? null : before)))
  }

  return (
    <Collapsible title="Columns">
      {missing.length > 0 && (
        <Alert kind="warning" className="mb-4">
          <p>
            No column is {missing.map((field) => IMPORT_FIELD_LABELS[field]).join(', ')}. Choose one, or mend every row.
          </p>
        </Alert>
      )}
      <div className="grid grid-cols-1 gap-x-4 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">
        {columns.map(({ heading, sample }, at) => (
          <SelectField
            // Columns have no names of their own, and never move.
            // oxlint-disable-next-line react/no-array-index-key
            key={at}
            label={heading || `Column ${at + 1}`}
            placeholder="Not imported"
            options={OPTIONS}
            value={fields[at] ?? ''}
            hint={<span className="block truncate">{sample ?? 'No text'}</span>}
            onChange={(event) => handleField(at, event.target.value)}
          />
        ))}
      </div>
    </Collapsible>
  )
}

/** One column may hold the first and the last name. */
function missingFields(fields: readonly (ImportFieldName | null)[]): ImportFieldName[] {
  return IMPORT_FIELDS_NEEDED.filter(
    (needed) =>
      !fields.includes(needed) && !((needed === 'firstName' || needed === 'lastName') && fields.includes('leadName')),
  )
}
