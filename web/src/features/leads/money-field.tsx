import { formatMoney, parseMoney } from '@portal/contract/money.ts'
import { type ReactNode, useState } from 'react'
import { useController } from 'react-hook-form'
import { TextField } from '../../ui/field.tsx'
import { amountAsTyped, type LeadForm, type MoneyName } from './new-lead-form.ts'

const ONE_AMOUNT = 'Write one amount, such as 50,000'

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
export function MoneyField({ form, name, hint, ...looks }: MoneyFieldProps) {
  const { field, fieldState } = useController({ control: form.control, name })
  const { ref, value, onChange, onBlur } = field
  const [left, setLeft] = useState<ReturnType<typeof amountAsTyped>>()
  const typed = typeof value === 'string' ? value : ''
  const isUnclear = isNotOneAmount(typed)
  // Once the person has left the field, the text that was unclear is gone, but what became of it still needs checking.
  const wasUnclear = left !== undefined && left === value
  const amount = isUnclear ? amountAsTyped(typed) : value

  function handleBlur() {
    const settled = amountAsTyped(value)
    if (typeof value === 'string') setLeft(isUnclear ? settled : undefined)
    onChange(settled)
    onBlur()
  }

  const remark = (isUnclear || wasUnclear) && (
    <p>
      <span>{ONE_AMOUNT}</span>
      {typeof amount === 'number' && (
        <span className="ml-2 font-medium text-ink tabular-nums">{formatMoney(amount)}</span>
      )}
    </p>
  )

  return (
    <TextField
      {...looks}
      ref={ref}
      name={name}
      inputMode="decimal"
      autoComplete="off"
      value={typeof value === 'number' ? formatMoney(value) : (value ?? '')}
      error={fieldState.error?.message}
      hint={
        (remark || hint) && (
          <>
            {remark}
            {hint}
          </>
        )
      }
      onChange={(event) => onChange(event.target.value)}
      onBlur={handleBlur}
    />
  )
}

function isNotOneAmount(text: string): boolean {
  return text.trim() !== '' && parseMoney(text) === null
}
