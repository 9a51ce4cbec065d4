import { lacksVariety, newPassword, PASSWORD_HINT, PASSWORDS_DIFFER } from '@portal/contract/account-forms.ts'
import * as z from 'zod/mini'

/** The two fields of a new password, for a form's schema. */
export function newPasswordShape(missing: { password: string; confirmation: string }) {
  return {
    password: newPassword(missing.password),
    confirmPassword: z.string().check(z.minLength(1, missing.confirmation)),
  }
}

interface Passwords {
  password: string
  confirmPassword: string
}

/** Compares the two passwords even while other fields are still incomplete. */
export function passwordsMatch<Values extends Passwords>() {
  return z.refine<Values>((values) => values.confirmPassword === '' || values.password === values.confirmPassword, {
    error: PASSWORDS_DIFFER,
    path: ['confirmPassword'],
    when: () => true,
  })
}

/** The hint of section 5. A password that gets this hint is still accepted. */
export function passwordHint(password: string): string | undefined {
  return password !== '' && lacksVariety(password) ? PASSWORD_HINT : undefined
}
