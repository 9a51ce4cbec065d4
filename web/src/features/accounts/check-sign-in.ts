import { SignIn } from '@portal/contract/account-forms.ts'
import * as z from 'zod/mini'

export interface CheckedSignIn {
  /** Undefined if a field has a problem. */
  ready?: SignIn | undefined
  /** The first problem of each field. */
  problems: Partial<Record<keyof SignIn, string | undefined>>
}

export function checkSignIn(typed: SignIn): CheckedSignIn {
  const { data, error } = SignIn.safeParse(typed)
  const { email, password } = error ? z.flattenError(error).fieldErrors : {}
  return { ready: data, problems: { email: email?.[0], password: password?.[0] } }
}
