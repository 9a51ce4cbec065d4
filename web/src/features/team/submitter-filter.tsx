import { MINE } from '@portal/contract/submitted-by.ts'
import { useQuery } from '@tanstack/react-query'
import { SelectField } from '../../ui/field.tsx'
import { submittersQuery } from './team.queries.ts'

interface SubmitterFilterProps {
  /** A person's id, `me`, or '' for everybody. */
  value: string
  onValue: (person: string) => void
}

/** Filters a list by the person who submitted its leads or deals (D64). */
export function SubmitterFilter({ value, onValue }: SubmitterFilterProps) {
  const { data } = useQuery(submittersQuery())
  const people = data?.people ?? []
  const options = [{ value: MINE, label: 'Mine' }, ...people.map(({ id, name }) => ({ value: id, label: name }))]
  return (
    <SelectField
      label="Submitted By"
      placeholder="Everybody"
      options={options}
      value={value}
      onChange={(event) => onValue(event.target.value)}
    />
  )
}
