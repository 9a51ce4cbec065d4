import type { IsoCountry } from '@portal/contract/choices.ts'
import {
  DIGIT_MISSING,
  fitsBothCountries,
  formatPhone,
  lacksDigit,
  PHONE_FITS_BOTH,
  type PhoneReading,
  phoneReadings,
  readPhone,
} from '@portal/contract/phone.ts'
import { type ReactNode, useEffect, useRef } from 'react'
import { useController, useWatch } from 'react-hook-form'
import { TextField } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.ts'
import type { LeadForm } from './new-lead-form.ts'

const COUNTRIES: Record<IsoCountry, string> = { AU: 'Australia', NZ: 'New Zealand' }

/** Half-typed numbers can fit another country's pattern, so the toast waits for a pause. */
const TYPING_PAUSE_MS = 600

interface PhoneFieldProps {
  form: LeadForm
  /** Called when the person leaves the field or chooses a country. */
  onSettled: () => void
}

/**
 * A phone field. While the person types, its border shows whether the text is a phone number. If two countries fit, a
 * switch offers the choice (D19).
 */
export function PhoneField({ form, onSettled }: PhoneFieldProps) {
  const { field, fieldState } = useController({ control: form.control, name: 'phone' })
  const { ref, name, value, onChange, onBlur } = field
  const chosen = useWatch({ control: form.control, name: 'iso' })
  const readings = phoneReadings(value)
  const reading = readChosen(value, countryOf(chosen))
  const announce = useCountryToast()

  return (
    <div className="grid grid-cols-1 content-start gap-2">
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
          announce.soon(event.target.value, countryOf(chosen))
        }}
        onBlur={() => {
          onBlur()
          announce.now(value, countryOf(chosen))
          onSettled()
        }}
      />
      {readings.length > 1 && (
        <CountrySwitch
          readings={readings}
          country={reading?.country}
          onChoose={(country) => {
            form.setValue('iso', country, { shouldDirty: true })
            if (fieldState.error) void form.trigger('phone')
            onSettled()
          }}
        />
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

interface CountrySwitchProps {
  readings: readonly PhoneReading[]
  country: IsoCountry | undefined
  onChoose: (country: IsoCountry) => void
}

function CountrySwitch({ readings, country, onChoose }: CountrySwitchProps) {
  return (
    <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-lg bg-sunken px-3 py-2 text-[0.8125rem]">
      <legend className="float-left w-full text-muted">This number fits both countries:</legend>
      {readings.map((reading) => (
        <label key={reading.country} className="flex min-h-6 items-center gap-2 font-medium">
          <input
            type="radio"
            name="phone-country"
            className="size-4 accent-brand"
            checked={reading.country === country}
            onChange={() => onChoose(reading.country)}
          />
          {COUNTRIES[reading.country]}
        </label>
      ))}
    </fieldset>
  )
}

/**
 * Shows a toast that names the number's country, or that says that the number fits both countries. The same toast is
 * not shown twice in a row for a number that the person is editing.
 */
function useCountryToast() {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const announced = useRef<string>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  function now(text: string, chosen: IsoCountry | undefined) {
    clearTimeout(timer.current)
    const country = readChosen(text, chosen)?.country
    const words = country
      ? `Phone number detected: ${COUNTRIES[country]}`
      : fitsBothCountries(text)
        ? PHONE_FITS_BOTH
        : undefined
    if (words && words !== announced.current) toast.info(words)
    announced.current = words
  }

  function soon(text: string, chosen: IsoCountry | undefined) {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => now(text, chosen), TYPING_PAUSE_MS)
  }

  return { now, soon }
}

/** Returns null if both countries fit and nobody has chosen one yet (D50). */
function readChosen(text: string, chosen: IsoCountry | undefined): PhoneReading | null {
  return chosen === undefined && fitsBothCountries(text) ? null : readPhone(text, chosen)
}

function hintFor(text: string, reading: PhoneReading | null): ReactNode {
  if (lacksDigit(text)) return <span className="text-warning-ink">{DIGIT_MISSING}</span>
  return reading && <span>{readingText(reading)}</span>
}

/** For example `Australia, mobile: +61 412 345 678`. */
function readingText({ country, kind, e164 }: PhoneReading): string {
  return `${COUNTRIES[country]}, ${kind}: ${formatPhone(e164)}`
}

/** The chosen country, if there is one. */
export function countryOf(value: unknown): IsoCountry | undefined {
  return value === 'AU' || value === 'NZ' ? value : undefined
}
