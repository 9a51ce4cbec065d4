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
