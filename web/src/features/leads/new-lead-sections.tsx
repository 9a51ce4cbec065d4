import { businessNumberWarning, isAbn, isNzbn, normalizeBusinessNumber } from '@portal/contract/abn.ts'
import { INDUSTRIES, LOAN_TERMS, LOAN_TYPES, STATES, TIMES_IN_BUSINESS } from '@portal/contract/choices.ts'
import { phoneReadings } from '@portal/contract/phone.ts'
import { Email } from '@portal/contract/text.ts'
import { useQuery } from '@tanstack/react-query'
import { type FocusEvent, type ReactNode, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { Checkbox, SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form-section.tsx'
import { SoftWarning } from '../../ui/soft-warning.tsx'
import { DuplicateWarning } from './duplicate-warning.tsx'
import { type DuplicateCheck, duplicatesQuery } from './leads.queries.ts'
import { MoneyField } from './money-field.tsx'
import { isLargeLoan, LARGE_LOAN, type LeadForm, lacksPropertyValue, NO_PROPERTY_VALUE } from './new-lead-form.ts'
import { PhoneField, usePhoneReading } from './phone-field.tsx'

const CHOOSE = 'Select…'

/**
 * The two sections with the fields that show whether the portal already has a lead for this applicant, besides the lead
 * that is corrected.
 */
export function ApplicantSections({ form, ownLoid }: { form: LeadForm; ownLoid?: string }) {
  const { register, control, getValues, getFieldState } = form
  const { errors, touchedFields } = form.formState
  const businessAbn = useWatch({ control, name: 'businessAbn' })
  const [check, setCheck] = useState<DuplicateCheck>({})
  const { data } = useQuery(duplicatesQuery(check))
  const duplicates = (data?.duplicates ?? []).filter(({ loid }) => loid !== ownLoid)
  const isByBusinessNumber = (matches: readonly string[]) => matches.every((match) => match === 'abn')

  const firstName = register('firstName')

  /** The page itself moved the focus to this field, so leaving it empty is not a mistake yet. */
  async function handleFirstLeft(event: FocusEvent) {
    if (getFieldState('firstName').isDirty) await firstName.onBlur(event)
  }

  const reading = usePhoneReading(form)
  const country = reading?.country ?? 'AU'

  function handleSettled() {
    setCheck(checkOf(getValues()))
  }

  const numberWarning = touchedFields.businessAbn ? businessNumberWarning(businessAbn ?? '', country) : null

  return (
    <>
      <FormSection title="Personal Information" description="The person who is applying for the loan.">
        <TextField
          label="First Name"
          required
          error={errors.firstName?.message}
          {...firstName}
          onBlur={handleFirstLeft}
        />
        <TextField label="Last Name" required error={errors.lastName?.message} {...register('lastName')} />
        <TextField
          label="Email"
          type="email"
          inputMode="email"
          required
          error={errors.email?.message}
          {...register('email', { onBlur: handleSettled })}
        />
        <PhoneField form={form} onSettled={handleSettled} />
        <SelectField
          label="State/Region"
          placeholder={CHOOSE}
          options={STATES}
          error={errors.state?.message}
          {...register('state')}
        />
        <Wide>
          <DuplicateWarning duplicates={duplicates.filter(({ matches }) => !isByBusinessNumber(matches))} />
        </Wide>
      </FormSection>
      <FormSection title="Business Information" description="The business that needs the funds.">
        <TextField label="Business Name" required error={errors.businessName?.message} {...register('businessName')} />
        <SelectField
          label="Industry"
          placeholder={CHOOSE}
          options={INDUSTRIES}
          error={errors.businessIndustry?.message}
          {...register('businessIndustry')}
        />
        <SelectField
          label="Time in Business"
          placeholder={CHOOSE}
          options={TIMES_IN_BUSINESS}
          error={errors.timeInBusiness?.message}
          {...register('timeInBusiness')}
        />
        <TextField
          label={country === 'NZ' ? 'ABN or NZBN' : 'ABN'}
          inputMode="numeric"
          placeholder={country === 'NZ' ? '13 digits' : '11 digits'}
          error={errors.businessAbn?.message}
          hint={numberWarning && <SoftWarning text={numberWarning} />}
          {...register('businessAbn', { onBlur: handleSettled })}
        />
        <MoneyField form={form} name="monthlyTurnover" label="Monthly Turnover" placeholder="$40,000" />
        <Wide>
          <DuplicateWarning duplicates={duplicates.filter(({ matches }) => isByBusinessNumber(matches))} />
        </Wide>
      </FormSection>
    </>
  )
}

export function LoanSections({ form }: { form: LeadForm }) {
  const { register, control } = form
  const { errors, touchedFields } = form.formState
  const [loanAmount, ownsProperty, propertyValue] = useWatch({
    control,
    name: ['loanAmount', 'ownsProperty', 'propertyValue'],
  })
  const warnsOfProperty = touchedFields.propertyValue && lacksPropertyValue(ownsProperty, propertyValue)

  return (
    <>
      <FormSection title="Loan Information" description="How much, and what for.">
        <MoneyField
          form={form}
          name="loanAmount"
          label="Loan Amount"
          placeholder="$250,000"
          hint={isLargeLoan(loanAmount) && <SoftWarning text={LARGE_LOAN} />}
        />
        <SelectField
          label="Loan Type"
          placeholder={CHOOSE}
          options={LOAN_TYPES}
          error={errors.loanType?.message}
          {...register('loanType')}
        />
        <TextField label="Loan Purpose" error={errors.loanPurpose?.message} {...register('loanPurpose')} />
        <SelectField
          label="Desired Term"
          placeholder={CHOOSE}
          options={LOAN_TERMS}
          error={errors.loanTerm?.message}
          {...register('loanTerm')}
        />
      </FormSection>
      <FormSection title="Property Information (optional)" description="Property can serve as security.">
        <Wide>
          <Checkbox label="The applicant owns property" {...register('ownsProperty')} />
        </Wide>
        {ownsProperty && (
          <>
            <MoneyField
              form={form}
              name="propertyValue"
              label="Property Value"
              placeholder="$900,000"
              hint={warnsOfProperty && <SoftWarning text={NO_PROPERTY_VALUE} />}
            />
            <MoneyField form={form} name="propertyDebt" label="Outstanding Debt" placeholder="$350,000" />
          </>
        )}
      </FormSection>
      <FormSection title="Additional Details" description="Anything the lender should know.">
        <Wide>
          <TextArea
            label="Additional Information"
            labelHidden
            rows={4}
            placeholder="Best time to call, existing finance, documents at hand…"
            error={errors.additionalInfo?.message}
            {...register('additionalInfo')}
          />
        </Wide>
      </FormSection>
    </>
  )
}

function Wide({ children }: { children: ReactNode }) {
  return <div className="empty:hidden sm:col-span-2">{children}</div>
}

interface Recognised {
  email: string
  phone: string
  businessAbn?: string | null | undefined
}

/** The values to check for duplicates, without incomplete values. */
function checkOf({ email, phone, businessAbn }: Recognised): DuplicateCheck {
  const abn = normalizeBusinessNumber(businessAbn ?? '')
  return {
    email: Email.safeParse(email).data,
    phone: phoneReadings(phone).length > 0 ? phone : undefined,
    abn: isAbn(abn) || isNzbn(abn) ? abn : undefined,
  }
}
