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
 * Holds text while a person types, and an amount once the person leaves the field. The amount is shown in whole dollars
 * but keeps its cents (D19a). Entering the field does not rewrite the text. A rewrite would undo the selection that the
 * Tab key or a password manager made, and the next input would be added to the old text.
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
