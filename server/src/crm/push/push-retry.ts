/** How all pushes to the CRM are retried (D23). */
export const PUSH_RETRY = { firstDelaySeconds: 10, delaySecondsMax: 1_800, giveUpAfterDays: 7 }

/** The text that the partner reads once the last retry has failed. */
export const NOT_REACHED = `The CRM did not accept it within ${PUSH_RETRY.giveUpAfterDays} days.`

/** The text that the partner reads on what was meant for a record that has left the CRM. */
export const RECORD_REMOVED = 'The lender has removed the record.'
