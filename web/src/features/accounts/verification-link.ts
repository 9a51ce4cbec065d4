import { Failure } from '../../api/failure.ts'

export const INVALID_LINK = 'This verification link is invalid or was already used.'

/** Whether the link is refused for good, so that a new attempt is useless. Check `wantsPassword` first. */
export function isRefusedLink(error: Error): boolean {
  return error instanceof Failure && error.status >= 400 && error.status < 500 && error.status !== 429
}

/** Whether somebody else has taken the address since the link was mailed. */
export function isTakenAddress(error: Error): boolean {
  return error instanceof Failure && error.code === 'EMAIL_EXISTS'
}

/** Whether the link is valid but also needs the account's password (D52). */
export function wantsPassword(error: Error | null): boolean {
  return error instanceof Failure && error.code === 'CONFIRM_PASSWORD'
}
