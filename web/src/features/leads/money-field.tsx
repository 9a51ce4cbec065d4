import { formatMoney } from '@portal/contract/money.ts'
import type { FocusEvent, ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { useController } from 'react-hook-form'
import { TextField } from '../../ui/field.tsx'
import { amountAsTyped, type LeadForm, type MoneyName } from './new-lead-form.ts'

interface MoneyFieldProps {
  form: LeadForm
  name: MoneyName
  label: string
  placeholder: string
  hint?: ReactNode
}

/** Text while one types, an amount once one has left the field: shown in whole dollars, its cents kept (D19a). */
export function MoneyField({ form, name, ...looks }: MoneyFieldProps) {
  const { field, fieldState } = useController({ control: form.control, name })
  const { ref, value, onChange, onBlur } = field

  /** Another text takes away the selection that the Tab key made, and what is typed next would be added to it. */
  function handleFocus({ currentTarget: input }: FocusEvent<HTMLInputElement>) {
    if (typeof value !== 'number') return
    const isSelected = input.selectionStart === 0 && input.selectionEnd === input.value.length
    flushSync(() => onChange(String(value)))
    if (isSelected) input.select()
  }

  function handleBlur() {
    onChange(amountAsTyped(value))
    onBlur()
  }

  return (
    <TextField
      {...looks}
      ref={ref}
      name={name}
      inputMode="decimal"
      autoComplete="off"
      value={typeof value === 'number' ? formatMoney(value) : (value ?? '')}
      error={fieldState.error?.message}
      onChange={(event) => onChange(event.target.value)}
      onFocus={handleFocus}
      onBlur={handleBlur}
    />
  )
}
