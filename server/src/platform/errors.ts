import type { RemovedRecord } from '@portal/contract/answer.ts'
import type { ErrorCode } from '@portal/contract/error-codes.ts'

/**
 * An error that a rule throws. Only `http/error-handler.ts` turns it into an answer. Any other error is a bug and is
 * answered with 500, except Fastify's own refusals and a database that does not answer.
 */
export class PortalError extends Error {
  readonly status: number
  readonly code: ErrorCode
  /** One validation message per field (D5). */
  readonly fields: Record<string, string> | undefined
  readonly retryAfterSeconds: number | undefined
  readonly removed: RemovedRecord | undefined

  constructor(
    status: number,
    code: ErrorCode,
    text: string,
    more: {
      fields?: Record<string, string>
      retryAfterSeconds?: number
      removed?: RemovedRecord
      cause?: unknown
    } = {},
  ) {
    super(text, { cause: more.cause })
    this.name = new.target.name
    this.status = status
    this.code = code
    this.fields = more.fields
    this.retryAfterSeconds = more.retryAfterSeconds
    this.removed = more.removed
  }
}

export class Invalid extends PortalError {
  constructor(code: ErrorCode, text: string, fields?: Record<string, string>) {
    super(400, code, text, fields && { fields })
  }
}

/**
 * For a failed sign-in, or an invalid session, key or token. Not for any other refusal, because the app signs out on a
 * 401 with the code `UNAUTHORIZED` (D5a).
 */
export class Unauthorized extends PortalError {
  constructor(code: ErrorCode = 'UNAUTHORIZED', text = 'Please sign in again.') {
    super(401, code, text)
  }
}

export class Forbidden extends PortalError {
  constructor(code: ErrorCode, text: string) {
    super(403, code, text)
  }
}

/** Also thrown for another partner's record (D8). */
export class NotFound extends PortalError {
  constructor(text: string, code: ErrorCode = 'NOT_FOUND') {
    super(404, code, text)
  }
}

/** A lead or deal of the caller's own that the lender has removed (D129). */
export class Removed extends PortalError {
  constructor(kind: 'lead' | 'deal', removed: RemovedRecord) {
    const code = kind === 'lead' ? 'LEAD_REMOVED' : 'DEAL_REMOVED'
    super(404, code, `The lender removed this ${kind}.`, { removed })
  }
}

export class Conflict extends PortalError {
  constructor(code: ErrorCode, text: string) {
    super(409, code, text)
  }
}

export class TooMany extends PortalError {
  constructor(text: string, retryAfterSeconds: number) {
    super(429, 'RATE_LIMITED', text, { retryAfterSeconds })
  }
}

/** A process has too much to do. The caller's own request is not at fault. */
export class Busy extends PortalError {
  constructor() {
    super(503, 'UNAVAILABLE', 'The portal is busy. Please try again in a moment.', { retryAfterSeconds: 5 })
  }
}

/** The CRM is away, or refuses the portal itself. The partner's own request is not at fault. */
export class CrmUnavailable extends PortalError {
  constructor(text: string, cause?: unknown) {
    super(502, 'CRM_UNAVAILABLE', text, { cause })
  }
}
