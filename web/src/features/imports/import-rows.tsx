import type { Import, RowStanding, RowsShown } from '@portal/contract/imports.ts'
import { formatNumber } from '@portal/contract/numbers.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { failureText } from '../../api/failure.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { ImportRowItem } from './import-row-item.tsx'
import { importRowsQuery } from './imports.queries.ts'

const CHOICES: readonly { value: RowStanding; label: string }[] = [
  { value: 'wrong', label: 'To mend' },
  { value: 'ready', label: 'Ready' },
  { value: 'duplicate', label: 'Like others' },
  { value: 'known', label: 'Before' },
]

/** The rows of a checked file, by how they stand. The first ones are those that need a person. */
export function ImportRows({ shown, onMended }: { shown: Import; onMended: (changed: Import) => void }) {
  const { id, rows, standings } = shown
  const [show, setShow] = useState<RowsShown>(standings.wrong > 0 ? 'wrong' : 'all')
  const [page, setPage] = useState(1)
  const counted = CHOICES.filter(({ value }) => standings[value] > 0 || value === show)
  const options = [
    { value: 'all' as const, label: `All ${formatNumber(rows)}` },
    ...counted.map(({ value, label }) => ({ value, label: `${label} ${formatNumber(standings[value])}` })),
  ]
  return (
    <section aria-label="Rows">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-[0.9375rem] font-semibold">Rows</h2>
        <div className="flex max-w-full overflow-x-auto">
          <Segmented
            label="Which rows to show"
            options={options}
            value={show}
            onValue={(value) => {
              setShow(value)
              setPage(1)
            }}
          />
        </div>
      </div>
      <RowList id={id} show={show} page={page} onPage={setPage} onMended={onMended} />
    </section>
  )
}

interface RowListProps {
  id: string
  show: RowsShown
  page: number
  onPage: (page: number) => void
  /** Absent where rows cannot be changed any more. */
  onMended?: (changed: Import) => void
}

export function RowList({ id, show, page, onPage, onMended }: RowListProps) {
  const query = importRowsQuery({ id, show, page })
  const rows = useQuery(query)
  const queryClient = useQueryClient()
  if (rows.isPending) return <Spinner label="Loading rows" />
  if (!rows.data) {
    return (
      <div className="panel">
        <Failure text="Failed to load rows" detail={failureText(rows.error)} onRetry={() => void rows.refetch()} />
      </div>
    )
  }
  const { data, pagination } = rows.data
  if (data.rows.length === 0) {
    return (
      <div className="frame">
        <EmptyState title={show === 'wrong' ? 'Nothing to mend' : 'No such rows'} />
      </div>
    )
  }
  return (
    <div className="frame">
      <ul className="divide-y divide-line">
        {data.rows.map((row) => (
          <ImportRowItem
            key={row.number}
            importId={id}
            row={row}
            // A mended row stays where it is, although the filter may not show it any longer.
            onMended={
              onMended &&
              ((mended) => {
                onMended(mended.import)
                queryClient.setQueryData(
                  query.queryKey,
                  (list) =>
                    list && {
                      ...list,
                      data: { rows: list.data.rows.map((one) => (one.number === row.number ? mended.row : one)) },
                    },
                )
              })
            }
          />
        ))}
      </ul>
      {(page > 1 || pagination.has_more) && <Pagination page={page} hasNext={pagination.has_more} onPage={onPage} />}
    </div>
  )
}
