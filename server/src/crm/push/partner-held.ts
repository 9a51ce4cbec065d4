import { HOLDS, Hold } from '@portal/contract/holds.ts'
import { Conflict } from '../../platform/errors.ts'

/** The partner is not connected with the CRM until somebody has done what the text says (D121, D122). */
export class PartnerHeld extends Conflict {
  constructor(reason: Hold) {
    super(HOLDS[reason].code, HOLDS[reason].text)
  }
}

/** The reason that a text names, such as the stored error of a sync run. */
export function holdOfText(text: string): Hold | undefined {
  return Hold.options.find((reason) => HOLDS[reason].text === text)
}

/** Ends a job without a failure while its partner is held. The end of the hold enqueues another job. */
export function waitWhileHeld(error: unknown): undefined {
  if (error instanceof PartnerHeld) return undefined
  throw error
}
