import type { RemovedRecord } from '@portal/contract/answer.ts'

interface FailureDetails {
  code: string
  fields?: Record<string, string> | undefined
  removed?: RemovedRecord | undefined
  cause?: unknown
}

/** Why a call failed, in words for people. `status` is 0 if the server gave no answer. */
export class Failure extends Error {
  readonly status: number
  readonly code: string
  readonly fields: Record<string, string>
  /** With `LEAD_REMOVED` and `DEAL_REMOVED`: what is still known of the record. */
  readonly removed: RemovedRecord | undefined

  constructor(status: number, message: string, { code, fields = {}, removed, cause }: FailureDetails) {
    super(message, { cause })
    this.name = 'Failure'
    this.status = status
    this.code = code
    this.fields = fields
    this.removed = removed
  }
}

/** Whether the server says that the record does not exist, or no longer exists. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Failure && error.status === 404
}

/** What is still known of a lead or deal of the partner's own that the lender has removed. */
export function removedRecord(error: unknown): RemovedRecord | undefined {
  return error instanceof Failure ? error.removed : undefined
}

export const OFFLINE = 'No internet connection. Please check your network and try again.'
export const UNEXPECTED = 'Something went wrong. Please try again or contact support.'

/** Says that a part of the page did not load or is broken. */
export function brokenText(): string {
  return navigator.onLine ? UNEXPECTED : OFFLINE
}

/** Returns the failure's own text. Any other error is a defect of the app, and gets a general text. */
export function failureText(error: unknown): string {
  return error instanceof Failure ? error.message : UNEXPECTED
}

/**
 * Returns the failure's text, for a line under the page's own text. Returns undefined for a failure without a code and
 * for any other error.
 */
export function failureDetail(error: unknown): string | undefined {
  return error instanceof Failure && error.code !== '' ? error.message : undefined
}
