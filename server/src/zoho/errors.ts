import { CrmUnavailable } from '../errors.ts'

/**
 * The CRM says that the data is wrong, so that the same call will be refused again. A job that meets it gives up; the
 * text is for operators and the partner's 'failed', and carries no value of the data.
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

/** A CRM record that contradicts what the portal holds, such as a LOID of another record. A problem of that record alone. */
export class CrmConflict extends Error {
  override name = 'CrmConflict'
}

/** The CRM does not let the portal's user make this call. Other calls may work. */
export class CrmForbidden extends CrmUnavailable {}

/** The CRM has a record of this name and email already, and whose it is has to be proved first (D52). */
export class CrmPartnerExists extends Error {
  override name = 'CrmPartnerExists'
}

/**
 * The partner that a record has to name no longer has a record in the CRM. Once it has a new one, the same call works.
 */
export class CrmPartnerGone extends CrmUnavailable {}
