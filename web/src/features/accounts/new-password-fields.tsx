import { useFormContext, useWatch } from 'react-hook-form'
import { PasswordField } from '../../ui/field.tsx'
import { passwordHint } from './new-password.ts'

interface NewPasswordFieldsProps {
  label: 'Password' | 'New password'
  required?: boolean
}

/** The two fields of `newPasswordShape`, in the form that a `FormProvider` gives. */
export function NewPasswordFields({ label, required }: NewPasswordFieldsProps) {
  const { control, register, formState, trigger } = useFormContext<{ password: string; confirmPassword: string }>()
  const { errors, touchedFields } = formState
  const password = useWatch({ control, name: 'password' })
  return (
    <>
      <PasswordField
        label={label}
        required={required}
        autoComplete="new-password"
        error={errors.password?.message}
        hint={passwordHint(password)}
        {...register('password', { onChange: () => touchedFields.confirmPassword && trigger('confirmPassword') })}
      />
      <PasswordField
        label={`Confirm ${label.toLowerCase()}`}
        required={required}
        autoComplete="new-password"
        error={errors.confirmPassword?.message}
        {...register('confirmPassword')}
      />
    </>
  )
}
