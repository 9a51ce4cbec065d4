import { formatNumber } from '@portal/contract/numbers.ts'
import { separateChoices, writeChoices } from '@portal/contract/several.ts'
import { X } from 'lucide-react'
import { useRef } from 'react'
import { SelectField } from '../../ui/field.tsx'
import { useFocusLeftBehind } from '../../ui/keep-focus.ts'

interface ChoicesProps {
  /** The chosen values as the address has them; blank for none. */
  value: string
  onValue: (value: string) => void
}

interface ChoiceSelectProps extends ChoicesProps {
  label: string
  placeholder: string
  options: readonly string[]
}

interface ChoiceChipsProps extends ChoicesProps {
  counts: Record<string, number> | undefined
}

/** A select that adds its value to the chosen ones, which `ChoiceChips` shows (D81). */
export function ChoiceSelect({ label, placeholder, options, value, onValue }: ChoiceSelectProps) {
  const chosen = separateChoices(value)
  return (
    <SelectField
      label={label}
      placeholder={chosen.length === 0 ? placeholder : `Add another`}
      options={options.filter((option) => !chosen.includes(option))}
      value=""
      onChange={(event) => onValue(writeChoices([...chosen, event.target.value]))}
    />
  )
}

/** The chosen values, each with how many records have it, whatever the other filters are. A click removes one. */
export function ChoiceChips({ value, counts, onValue }: ChoiceChipsProps) {
  const ref = useRef<HTMLUListElement>(null)
  useFocusLeftBehind(ref)
  const chosen = separateChoices(value)
  if (chosen.length === 0) return null
  return (
    <ul ref={ref} aria-label="Chosen filters" className="flex basis-full flex-wrap gap-2">
      {chosen.map((one) => (
        <li key={one}>
          <button
            type="button"
            onClick={() => onValue(writeChoices(chosen.filter((other) => other !== one)))}
            className="inline-flex h-7 items-center gap-1.5 rounded-full border border-line-strong bg-raised px-3 text-xs font-medium hover:bg-hover pointer-coarse:h-9"
          >
            {one}
            {counts && <span className="text-muted tabular-nums">{formatNumber(counts[one] ?? 0)}</span>}
            <span className="sr-only">: remove this filter</span>
            <X aria-hidden className="size-3.5 text-muted" />
          </button>
        </li>
      ))}
    </ul>
  )
}
