import { INACTIVE, type Mapping, mappedText, says } from './failure-mapping.ts'

const SIGN_IN: Mapping[] = [
  { when: says('email'), text: 'Account not found. Please check your email or create an account.' },
  { when: says('user'), text: 'Account not found. Please check your email or create an account.' },
  { when: says('password'), text: 'Incorrect password. Please try again or reset your password.' },
  { when: says('inactive'), text: INACTIVE },
  { when: says('disabled'), text: INACTIVE },
]

export function signInFailureText(error: unknown): string {
  return mappedText(error, SIGN_IN, 'Login failed')
}
