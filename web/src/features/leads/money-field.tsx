import { formatMoney } from '@portal/contract/money.ts'
import type { ReactNode } from 'react'
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

/**
 * Text while one types, an amount once one has left the field: shown in whole dollars, its cents kept (D19a). Nothing is rewritten on the way in:
 * that would take away what the Tab key or a password manager has selected, and what comes next would be added to it.
 */
export function MoneyField({ form, name, ...looks }: MoneyFieldProps) {
  const { field, fieldState } = useController({ control: form.control, name })
  const { ref, value, onChange, onBlur } = field

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
      onBlur={handleBlur}
    />
  )
}
