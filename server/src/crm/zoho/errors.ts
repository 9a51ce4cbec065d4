import { CrmUnavailable } from '../../platform/errors.ts'

/** A call that creates something was sent, but no answer came. The CRM may have carried it out, or may do so yet. */
export class CrmUnanswered extends CrmUnavailable {}

/**
 * The CRM says that the data is wrong, so the same call will be refused again. A job that gets this error gives up. The
 * text is for operators and for the partner whose record failed. It contains no values from the data.
 */
export class CrmRefused extends Error {
  /** Zoho's code, such as `INVALID_DATA`. */
  readonly code: string

  constructor(code: string, text: string) {
    super(text)
    this.name = 'CrmRefused'
    this.code = code
  }
}

/** The CRM does not let the portal's user make this call. Other calls may work. */
export class CrmForbidden extends CrmUnavailable {}

/**
 * A record has to name its partner, but the partner's own record is no longer in the CRM. Once the partner has a new
 * record, the same call works.
 */
export class CrmPartnerGone extends CrmUnavailable {}
