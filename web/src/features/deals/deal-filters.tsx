import { DEAL_STAGES } from '@portal/contract/choices.ts'
import { MONEY_MAX } from '@portal/contract/limits.ts'
import { formatMoney, parseMoney } from '@portal/contract/money.ts'
import { useQuery } from '@tanstack/react-query'
import type { DealListSearch } from '../../app/search-params.ts'
import { DateFilter, TextFilter } from '../../ui/filter-field.tsx'
import { FilterPanel } from '../../ui/filter-panel.tsx'
import { DayFilters } from '../inbox/day-filters.tsx'
import { ChoiceChips, ChoiceSelect } from '../referral/choice-chips.tsx'
import { TurnFilter } from '../referral/turn-filter.tsx'
import { SubmitterFilter } from '../team/submitter-filter.tsx'
import { type DealListFilters, stagesQuery } from './deals.queries.ts'

const FILTERS = ['stage', 'minAmount', 'dateFrom', 'dateTo', 'changedFrom', 'person', 'turn'] as const

interface DealFiltersProps {
  filters: DealListFilters
  onChange: (change: Partial<DealListSearch>) => void
}

export function DealFilters({ filters, onChange }: DealFiltersProps) {
  const { data } = useQuery(stagesQuery())
  const { stage = '', minAmount } = filters
  return (
    <>
      <FilterPanel
        activeCount={countDealFilters(filters)}
        onClear={() => onChange(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
      >
        <ChoiceSelect
          label="Stage"
          placeholder="All stages"
          options={data?.stages ?? DEAL_STAGES}
          value={stage}
          onValue={(text) => onChange({ stage: text || undefined })}
        />
        <TextFilter
          label="Min Amount"
          placeholder="$50,000"
          inputMode="decimal"
          value={minAmount === undefined ? '' : formatMoney(minAmount)}
          read={amountText}
          onValue={(text) => onChange({ minAmount: parseMoney(text)?.toString() })}
        />
        <DayFilters days={filters} onChange={onChange} />
        <DateFilter
          label="Changed Since"
          value={filters.changedFrom ?? ''}
          onValue={(date) => onChange({ changedFrom: date || undefined })}
        />
        <TurnFilter value={filters.turn} onValue={(turn) => onChange({ turn })} />
        <SubmitterFilter value={filters.person ?? ''} onValue={(person) => onChange({ person: person || undefined })} />
      </FilterPanel>
      <ChoiceChips value={stage} counts={data?.counts} onValue={(text) => onChange({ stage: text || undefined })} />
    </>
  )
}

/** Returns the amount in whole dollars, as the field shows it. Empty if the filter cannot use the amount. */
function amountText(text: string): string {
  const amount = parseMoney(text) ?? 0
  return amount >= 0.5 && amount <= MONEY_MAX ? formatMoney(amount) : ''
}

export function countDealFilters(filters: DealListFilters): number {
  return FILTERS.filter((name) => filters[name] !== undefined).length
}
