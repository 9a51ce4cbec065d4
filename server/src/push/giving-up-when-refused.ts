import { GiveUp } from '../jobs/define-job.ts'
import { CrmRefused } from '../zoho/errors.ts'

/** Data that the CRM refuses will be refused again: the job gives up at once, and the partner sees it (D23). */
export async function givingUpWhenRefused<Result>(push: Promise<Result>): Promise<Result> {
  try {
    return await push
  } catch (error) {
    if (error instanceof CrmRefused) throw new GiveUp(error.message, { cause: error })
    throw error
  }
}
