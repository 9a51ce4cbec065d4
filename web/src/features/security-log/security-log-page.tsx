import { personName } from '@portal/contract/person-name.ts'
import { SECURITY_KIND_NAMES, SECURITY_KINDS } from '@portal/contract/security-log.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { useRef } from 'react'
import { type PageStart, startQuery } from '../../api/page-start.ts'
import { paths } from '../../app/paths.ts'
import { type SecurityLogSearch, securityLogSearch } from '../../app/search-params.ts'
import { useNavigate, useSearch } from '../../router/router-view.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadFailure } from '../../ui/failure.tsx'
import { SelectField } from '../../ui/field.tsx'
import { useFollowedRows } from '../../ui/followed-rows.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { NewRows } from '../../ui/new-rows.tsx'
import { NothingFound } from '../../ui/nothing-found.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { DataTable } from '../../ui/table.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import { SECURITY_COLUMNS } from './security-columns.tsx'
import { securityLogQuery, securityPeopleQuery } from './security-log.queries.ts'

export function startSecurityLog({ queryClient, search }: PageStart) {
  startQuery(queryClient, securityPeopleQuery())
  queryClient.infiniteQuery(securityLogQuery(securityLogSearch(search))).catch(() => undefined)
}

export function SecurityLogPage() {
  const search = useSearch(securityLogSearch)
  const navigate = useNavigate()
  const people = useQuery(securityPeopleQuery())

  const typeRef = useRef<HTMLSelectElement>(null)

  /** The pressed button disappears, so the type filter takes focus. */
  function handleClear() {
    typeRef.current?.focus()
    handleChange({ type: undefined, person: undefined })
  }

  function handleChange(change: Partial<SecurityLogSearch>) {
    void navigate({
      ...paths.security,
      search: (previous) => ({ ...securityLogSearch(previous), ...change }),
      resetScroll: false,
    })
  }

  return (
    <>
      <PageHeader
        title="Security Log"
        description="Sign-ins, passwords, keys and the people in your team: who did what, when and from where. Kept for a year."
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <div className="grid grid-cols-1 gap-4 sm:flex sm:*:w-56">
          <SelectField
            ref={typeRef}
            label="Type"
            placeholder="All types"
            options={SECURITY_KINDS.map((kind) => ({ value: kind, label: SECURITY_KIND_NAMES[kind] }))}
            value={search.type ?? ''}
            onChange={(event) => handleChange({ type: event.target.value || undefined })}
          />
          <SelectField
            label="Who"
            placeholder="Everybody"
            options={(people.data ?? []).map((person) => ({ value: person.id, label: personName(person) }))}
            value={search.person ?? ''}
            onChange={(event) => handleChange({ person: event.target.value || undefined })}
          />
        </div>
        <SecurityEntries search={search} onClear={handleClear} />
      </div>
    </>
  )
}

function SecurityEntries({ search, onClear }: { search: SecurityLogSearch; onClear: () => void }) {
  const log = useInfiniteQuery(securityLogQuery(search))
  const pages = log.data?.pages ?? []
  const { rows, changes, waiting, showAll } = useFollowedRows(
    pages.flatMap((page) => page.entries),
    { scope: JSON.stringify([search, pages.length]), isAsking: false, isFetching: log.isFetching },
  )
  return (
    <div>
      <NewRows waiting={waiting} onShow={showAll} />
      <div className="frame">
        {log.isPending ? (
          <TableSkeleton label="Loading security log" columns={SECURITY_COLUMNS} rows={8} />
        ) : !log.data ? (
          <LoadFailure text="Failed to load the security log" query={log} />
        ) : rows.length === 0 ? (
          <NoEntries isFiltered={Boolean(search.type || search.person)} onClear={onClear} />
        ) : (
          <DataTable
            label="Security log"
            columns={SECURITY_COLUMNS}
            rows={rows}
            rowKey={(entry) => entry.id}
            changes={changes}
            stale={log.isPlaceholderData}
          />
        )}
        <LoadMore list={log} failure="Older entries could not be loaded." />
      </div>
    </div>
  )
}

function NoEntries({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered) {
    return (
      <EmptyState
        icon={<ShieldCheck />}
        title="Nothing in the log yet"
        text="Sign-ins and changes to passwords, keys and people appear here."
      />
    )
  }
  return (
    <NothingFound
      title="No entries found"
      text="No matching entries in the last year"
      action="Clear filters"
      onClear={onClear}
    />
  )
}
