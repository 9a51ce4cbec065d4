import { LEAD_STATUSES } from '@portal/contract/choices.ts'
import { CHOICE_LENGTH_MAX } from '@portal/contract/limits.ts'
import { useQuery } from '@tanstack/react-query'
import type { LeadListSearch } from '../../app/search-params.ts'
import { SelectField } from '../../ui/field.tsx'
import { DateFilter, TextFilter } from '../../ui/filter-field.tsx'
import { FilterPanel } from '../../ui/filter-panel.tsx'
import { DayFilters } from '../inbox/day-filters.tsx'
import { ChoiceChips, ChoiceSelect } from '../referral/choice-chips.tsx'
import { leadStatusesQuery } from '../referral/referral.queries.ts'
import { TurnFilter } from '../referral/turn-filter.tsx'
import { SubmitterFilter } from '../team/submitter-filter.tsx'

const FILTERS = ['status', 'source', 'dateFrom', 'dateTo', 'changedFrom', 'person', 'verdict', 'turn'] as const

interface LeadFiltersProps {
  search: LeadListSearch
  onChange: (change: Partial<LeadListSearch>) => void
}

export function LeadFilters({ search, onChange }: LeadFiltersProps) {
  const { data } = useQuery(leadStatusesQuery())
  const { status = '', source = '', verdict = '' } = search
  const verdicts = new Set([...(data?.verdicts ?? []), ...(verdict ? [verdict] : [])])
  return (
    <>
      <FilterPanel
        activeCount={countLeadFilters(search)}
        onClear={() => onChange(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
      >
        <ChoiceSelect
          label="Status"
          placeholder="All statuses"
          options={data?.statuses ?? LEAD_STATUSES}
          value={status}
          onValue={(text) => onChange({ status: text || undefined })}
        />
        {(verdicts.size > 0 || verdict) && (
          <SelectField
            label="Lender’s Verdict"
            placeholder="All verdicts"
            options={[...verdicts]}
            value={verdict}
            onChange={(event) => onChange({ verdict: event.target.value || undefined })}
          />
        )}
        <TextFilter
          label="Lead Source"
          placeholder="Partner Portal"
          maxLength={CHOICE_LENGTH_MAX}
          value={source}
          onValue={(text) => onChange({ source: text || undefined })}
        />
        <DayFilters days={search} onChange={onChange} />
        <DateFilter
          label="Changed Since"
          value={search.changedFrom ?? ''}
          onValue={(date) => onChange({ changedFrom: date || undefined })}
        />
        <TurnFilter value={search.turn} onValue={(turn) => onChange({ turn })} />
        <SubmitterFilter value={search.person ?? ''} onValue={(person) => onChange({ person: person || undefined })} />
      </FilterPanel>
      <ChoiceChips value={status} counts={data?.counts} onValue={(text) => onChange({ status: text || undefined })} />
    </>
  )
}

export function countLeadFilters(search: LeadListSearch): number {
  return FILTERS.filter((name) => search[name] !== undefined).length
}
