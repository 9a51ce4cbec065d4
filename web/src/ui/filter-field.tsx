import { type ChangeEvent, type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef } from 'react'
import { TextField } from './field.tsx'
import { isEnter } from './is-enter.ts'

interface FilterFieldProps {
  label: string
  /** The value from the address, or blank. */
  value: string
  onValue: (value: string) => void
}

interface TextFilterProps extends FilterFieldProps {
  placeholder?: string
  inputMode?: 'text' | 'decimal'
  maxLength?: number
  /** Returns the part of the text that is a valid filter, or blank. */
  read?: (text: string) => string
}

/** A text filter that takes effect on Enter and when the person leaves the field. Invalid text is removed. */
export function TextFilter({ value, onValue, read = (text) => text, ...looks }: TextFilterProps) {
  const ref = useFollowing(value)

  function commit({ currentTarget: input }: FocusEvent<HTMLInputElement> | KeyboardEvent<HTMLInputElement>) {
    input.value = read(input.value.trim())
    if (input.value !== value) onValue(input.value)
  }

  return (
    <TextField
      {...looks}
      ref={ref}
      defaultValue={value}
      autoComplete="off"
      onBlur={commit}
      onKeyDown={(event) => isEnter(event) && commit(event)}
    />
  )
}

/**
 * A date filter that takes effect as soon as the date is complete. React does not control the input's value, because a
 * controlled input would lose a date that is typed part by part.
 */
export function DateFilter({ value, onValue, ...looks }: FilterFieldProps) {
  const ref = useFollowing(value)

  function handleChange(event: ChangeEvent<HTMLInputElement>) {
    const { value: date, validity } = event.currentTarget
    const hasFullYear = /^(19|[2-9]\d)\d\d-/.test(date)
    const isHalfTyped = validity.badInput || (date !== '' && !hasFullYear)
    if (!isHalfTyped && date !== value) onValue(date)
  }

  return (
    <TextField
      {...looks}
      ref={ref}
      type="date"
      min="1900-01-01"
      // Without a maximum, browsers accept years of six digits.
      max="9999-12-31"
      defaultValue={value}
      onChange={handleChange}
    />
  )
}

/** Updates an input when its value changes elsewhere, for example by Clear Filters or the browser's Back button. */
export function useFollowing(value: string, given?: RefObject<HTMLInputElement | null>) {
  const own = useRef<HTMLInputElement>(null)
  const ref = given ?? own
  useEffect(() => {
    if (ref.current && ref.current.value !== value) ref.current.value = value
  }, [ref, value])
  return ref
}
