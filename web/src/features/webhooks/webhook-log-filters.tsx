import { URL_LENGTH_MAX } from '@portal/contract/limits.ts'
import { WEBHOOK_LOG_STATUSES } from '@portal/contract/webhooks.ts'
import type { WebhookLogSearch } from '../../app/search-params.ts'
import { SelectField } from '../../ui/field.tsx'
import { TextFilter } from '../../ui/filter-field.tsx'
import { FilterPanel } from '../../ui/filter-panel.tsx'
import { DayFilters } from '../inbox/day-filters.tsx'
import { STATUS_LABELS } from './log-marks.tsx'

const FILTERS = ['status', 'endpoint', 'dateFrom', 'dateTo'] as const

interface WebhookLogFiltersProps {
  search: WebhookLogSearch
  onChange: (change: Partial<WebhookLogSearch>) => void
}

export function WebhookLogFilters({ search, onChange }: WebhookLogFiltersProps) {
  const { status = '', endpoint = '' } = search
  return (
    <FilterPanel
      activeCount={countWebhookLogFilters(search)}
      onClear={() => onChange(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
    >
      <SelectField
        label="Status"
        placeholder="All statuses"
        options={WEBHOOK_LOG_STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] }))}
        value={status}
        onChange={(event) => onChange({ status: event.target.value || undefined })}
      />
      <TextFilter
        label="Endpoint"
        placeholder="/api/webhook/lead"
        maxLength={URL_LENGTH_MAX}
        value={endpoint}
        onValue={(text) => onChange({ endpoint: text || undefined })}
      />
      <DayFilters days={search} onChange={onChange} />
    </FilterPanel>
  )
}

export function countWebhookLogFilters(search: WebhookLogSearch): number {
  return FILTERS.filter((name) => search[name] !== undefined).length
}
