import { GiveUp } from '../../platform/jobs/define-job.ts'
import { CrmRefused } from '../zoho/errors.ts'

/**
 * Gives the job up at once if the CRM refuses the data, because the CRM would refuse the same data again. `markFailed`
 * first stores the reason for the partner to read (D23).
 */
export async function givingUpWhenRefused<Result>(
  push: Promise<Result>,
  markFailed: (problem: string) => Promise<void>,
): Promise<Result> {
  try {
    return await push
  } catch (error) {
    if (!(error instanceof CrmRefused)) throw error
    await markFailed(error.message)
    throw new GiveUp(error.message, { cause: error })
  }
}
