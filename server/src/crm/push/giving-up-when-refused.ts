import { GiveUp } from '../../platform/jobs/define-job.ts'
import { CrmNotTaking, CrmRefused } from '../zoho/errors.ts'

interface Refusal {
  /** Stores the reason for the partner to read (D23). */
  markFailed(problem: string): Promise<void>
  /** Says on the record that the CRM has not taken it yet, and notes the cause (D125). */
  markNotTaken?(cause: string): Promise<void>
}

/**
 * Gives the job up at once if the CRM refuses the content of a field, because the CRM would refuse the same content
 * again. Any other refusal is the organisation's and passes, so the push waits: this function throws `CrmNotTaking`.
 */
export async function givingUpWhenRefused<Result>(
  push: Promise<Result>,
  { markFailed, markNotTaken }: Refusal,
): Promise<Result> {
  try {
    return await push
  } catch (error) {
    if (!(error instanceof CrmRefused)) throw error
    if (!error.isOfField) {
      await markNotTaken?.(error.message)
      throw new CrmNotTaking(error.message, error)
    }
    await markFailed(error.message)
    throw new GiveUp(error.message, { cause: error })
  }
}
