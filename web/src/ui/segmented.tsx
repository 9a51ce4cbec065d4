import { useId } from 'react'

interface SegmentedProps<Value extends string> {
  /** The name of the choice, for screen readers. */
  label: string
  options: readonly { value: Value; label: string }[]
  value: Value
  onValue: (value: Value) => void
}

/** A choice among a few options, side by side. The options are radio buttons, so the arrow keys move between them. */
export function Segmented<Value extends string>({ label, options, value, onValue }: SegmentedProps<Value>) {
  const name = useId()
  return (
    <fieldset className="flex shrink-0 gap-0.5 rounded-lg bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="relative flex h-7 items-center rounded-md border border-transparent px-2.5 text-[0.8125rem] font-medium text-muted hover:text-ink has-checked:border-line has-checked:bg-raised has-checked:text-ink has-checked:shadow-xs has-focus-visible:outline-2 has-focus-visible:outline-ring pointer-coarse:h-9"
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onValue(option.value)}
            className="absolute inset-0 cursor-pointer appearance-none outline-none"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}
