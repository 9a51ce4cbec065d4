import { Failure } from '../../api/failure.ts'

export const INVALID_LINK = 'This verification link is invalid or was already used.'

/** Asking again is of no use. */
export function isRefusedLink(error: Error): boolean {
  return error instanceof Failure && error.status >= 400 && error.status < 500 && error.status !== 429
}

/** Somebody else took the address since the link was mailed. */
export function isTakenAddress(error: Error): boolean {
  return error instanceof Failure && error.code === 'EMAIL_EXISTS'
}

/** The link is good, and wants the account's password beside it (D52). */
export function wantsPassword(error: Error | null): boolean {
  return error instanceof Failure && error.code === 'CONFIRM_PASSWORD'
}
