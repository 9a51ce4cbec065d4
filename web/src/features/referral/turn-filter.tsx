import { SIDE_TEXTS, type Side } from '@portal/contract/meanings.ts'
import { sideOf } from '../../app/search-params.ts'
import { SelectField } from '../../ui/field.tsx'

interface TurnFilterProps {
  value: Side | undefined
  onValue: (side: Side | undefined) => void
}

const OPTIONS = [
  { value: 'partner', label: SIDE_TEXTS.partner },
  { value: 'lender', label: SIDE_TEXTS.lender },
]

/** Filters a list by whose turn it is (D127). */
export function TurnFilter({ value, onValue }: TurnFilterProps) {
  return (
    <SelectField
      label="Whose Turn"
      placeholder="Anybody’s"
      options={OPTIONS}
      value={value ?? ''}
      onChange={(event) => onValue(sideOf(event.target.value))}
    />
  )
}
