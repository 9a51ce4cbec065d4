import type { IsoCountry } from '@portal/contract/choices.ts'
import {
  DIGIT_MISSING,
  FREEPHONE,
  formatPhone,
  isFreephone,
  isUndecided,
  lacksDigit,
  type PhoneReading,
  phoneReadings,
  readPhone,
} from '@portal/contract/phone.ts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { useController, useWatch } from 'react-hook-form'
import { buttonClass } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.ts'
import { usualCountryQuery } from './leads.queries.ts'
import type { LeadForm } from './new-lead-form.ts'

const COUNTRIES: Record<IsoCountry, string> = { AU: 'Australia', NZ: 'New Zealand' }

/** Half-typed numbers can fit another country's pattern, so the toast waits for a pause. */
const TYPING_PAUSE_MS = 600

/**
 * The number on the form, as the portal reads it: in the chosen country, or in that of the state if both countries use
 * such numbers, or in that of most of the partner's leads (D120).
 */
export function usePhoneReading(form: LeadForm): PhoneReading | null {
  const [phone, iso, state] = useWatch({ control: form.control, name: ['phone', 'iso', 'state'] })
  const asksPartner = !countryOf(iso) && !state && isUndecided(phone)
  const { data } = useQuery({ ...usualCountryQuery(), enabled: asksPartner })
  return readPhone(phone, countryOf(iso) ?? (asksPartner ? data?.iso : undefined))
}

interface PhoneFieldProps {
  form: LeadForm
  /** Called when the person leaves the field or chooses a country. */
  onSettled: () => void
}

/**
 * A phone field. While the person types, its border shows whether the text is a phone number. If two countries fit, a
 * switch offers the other one (D19, D120).
 */
export function PhoneField({ form, onSettled }: PhoneFieldProps) {
  const { field, fieldState } = useController({ control: form.control, name: 'phone' })
  const { ref, name, value, onChange, onBlur } = field
  const reading = usePhoneReading(form)
  const other = phoneReadings(value).find(({ country }) => country !== reading?.country)
  const announce = useCountryToast(reading?.country)

  function handleSwitch(country: IsoCountry) {
    form.setValue('iso', country, { shouldDirty: true })
    onSettled()
  }

  return (
    <div className="grid grid-cols-1 content-start gap-1">
      <TextField
        ref={ref}
        name={name}
        value={value}
        label="Phone"
        type="tel"
        autoComplete="off"
        required
        placeholder="0412 345 678"
        className={borderClass(reading !== null, value.trim() === '' || fieldState.error !== undefined)}
        error={fieldState.error?.message}
        hint={hintFor(value, reading)}
        onChange={(event) => {
          onChange(event.target.value)
          announce.soon()
        }}
        onBlur={() => {
          onBlur()
          announce.now()
          onSettled()
        }}
      />
      {other && (
        <button
          type="button"
          className={buttonClass('ghost', 'small', 'justify-self-start -ml-2.5')}
          onClick={() => handleSwitch(other.country)}
        >
          {`${COUNTRIES[other.country]} instead`}
        </button>
      )}
    </div>
  )
}

/**
 * The border's colour while the person types. It replaces the field's hover and focus colours. Undefined if the field is
 * empty, or already shows an error in its own colour.
 */
function borderClass(isNumber: boolean, isSilent: boolean): string | undefined {
  if (isSilent) return undefined
  return isNumber ? 'border-success-dot!' : 'border-warning-dot!'
}

/**
 * Shows a toast that names the number's country. The same toast is not shown twice in a row for a number that the person
 * is editing.
 */
function useCountryToast(country: IsoCountry | undefined) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const announced = useRef<string>(undefined)
  const latest = useRef(country)
  useEffect(() => {
    latest.current = country
  }, [country])
  useEffect(() => () => clearTimeout(timer.current), [])

  function now() {
    clearTimeout(timer.current)
    const words = latest.current && `Phone number detected: ${COUNTRIES[latest.current]}`
    if (words && words !== announced.current) toast.info(words)
    announced.current = words
  }

  function soon() {
    clearTimeout(timer.current)
    timer.current = setTimeout(now, TYPING_PAUSE_MS)
  }

  return { now, soon }
}

function hintFor(text: string, reading: PhoneReading | null): ReactNode {
  if (isFreephone(text)) return <span className="text-warning-ink">{FREEPHONE}</span>
  if (lacksDigit(text)) return <span className="text-warning-ink">{DIGIT_MISSING}</span>
  return reading && <span>{readingText(reading)}</span>
}

/** For example `Australia, mobile: +61 412 345 678`. */
function readingText({ country, kind, e164 }: PhoneReading): string {
  return `${COUNTRIES[country]}, ${kind}: ${formatPhone(e164)}`
}

/** The chosen country, if there is one. */
function countryOf(value: unknown): IsoCountry | undefined {
  return value === 'AU' || value === 'NZ' ? value : undefined
}
