import { CrmUnavailable } from '../../platform/errors.ts'

/** A call that creates something was sent, but no answer came. The CRM may have carried it out, or may do so yet. */
export class CrmUnanswered extends CrmUnavailable {}

/**
 * The CRM refuses the call, and would refuse the same call again. The text is for operators and for the partner whose
 * record failed. It contains no values from the data.
 */
export class CrmRefused extends Error {
  /** Zoho's code, such as `INVALID_DATA`. */
  readonly code: string
  /**
   * Whether the content of a field is to blame, so that only the partner can mend it. Everything else is the
   * organisation's: a retired version, a licence, a full storage, a new mandatory field or a rule (D125).
   */
  readonly isOfField: boolean

  constructor(code: string, text: string, field: string | null = null) {
    super(text)
    this.name = 'CrmRefused'
    this.code = code
    this.isOfField = field !== null && (code === 'INVALID_DATA' || code === 'DUPLICATE_DATA')
  }
}

/** The organisation takes no such record at the moment. The same call works once the lender has removed the cause (D125). */
export class CrmNotTaking extends CrmUnavailable {}

/** The CRM gives the portal no access token. `advice` tells the operator what to do. */
export class CrmSignInRefused extends CrmUnavailable {
  readonly advice: string

  constructor(text: string, advice: string) {
    super(text)
    this.advice = advice
  }
}

/** The CRM answers no call of the portal's at the moment. `why` is for operators. */
export class CrmSilent extends CrmUnavailable {
  readonly why: string

  constructor(text: string, why: string, cause: unknown) {
    super(text, cause)
    this.why = why
  }
}

/** Something before the CRM refuses every call of this machine. */
export class CrmAddressRefused extends CrmUnavailable {}

/** The CRM does not let the portal's user make this call. Other calls may work. */
export class CrmForbidden extends CrmUnavailable {}

/**
 * A record has to name its partner, but the partner's own record is no longer in the CRM. Once the partner has a new
 * record, the same call works.
 */
export class CrmPartnerGone extends CrmUnavailable {}

/** The CRM does not take this file, and will not take it later. The text is for the partner. */
export class CrmFileRefused extends Error {
  override name = 'CrmFileRefused'
}

/** The organisation's storage for files is full. The same call works once the lender has made room. */
export class CrmStorageFull extends CrmUnavailable {}

/** Whether the CRM is to blame: it cannot be reached, or it refuses the call. */
export function isOfCrm(error: unknown): error is CrmUnavailable | CrmRefused {
  return error instanceof CrmUnavailable || error instanceof CrmRefused
}
