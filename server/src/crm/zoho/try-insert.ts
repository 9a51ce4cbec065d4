import { DEFAULT_LEAD_SOURCE, SUBMITTED_STATUS } from '@portal/contract/choices.ts'
import { CrmUnavailable } from '../../platform/errors.ts'
import type { CrmCheck } from '../../records/crm-records.ts'
import { readResults, writtenId } from './answers.ts'
import { asTrial } from './call-order.ts'
import { CrmRefused } from './errors.ts'
import type { ZohoParts } from './parts.ts'
import { readText } from './wire.ts'

export interface InsertTrial {
  /**
   * Makes a lead without a partner, with the fields that every lead has, and deletes it again. Workflows, assignment rules
   * and cadences do not run. The lead stays in the CRM's recycle bin.
   */
  tryInsert(signal?: AbortSignal): Promise<CrmCheck>
}

/** No real lead has this LOID. */
const TRIAL_LOID = 'LO-00000000'
const TRIAL_NAME = 'Trial of the partner portal'
const NAME = 'Trial lead'

export function openInsertTrial({ api, fieldMap: { leads } }: ZohoParts): InsertTrial {
  async function removeTrials(signal?: AbortSignal): Promise<void> {
    const rows = await api.coql(
      `select id from ${leads.module} where ${leads.fields.loid} = '${TRIAL_LOID}' limit 0, 10`,
      signal,
    )
    for (const row of rows) await api.remove(`${leads.module}/${readText(row, 'id') ?? ''}`, signal)
  }

  return {
    tryInsert: (signal) =>
      asTrial(async () => {
        const { fields, module } = leads
        const record = {
          [fields.loid]: TRIAL_LOID,
          [fields.business_name]: TRIAL_NAME,
          [fields.last_name]: TRIAL_NAME,
          [fields.lead_status]: SUBMITTED_STATUS,
          [fields.lead_source]: DEFAULT_LEAD_SOURCE,
          [fields.partner_iso]: 'AU',
        }
        const body = {
          data: [record],
          trigger: [],
          skip_feature_execution: [{ name: 'cadences' }, { name: 'assignment_rules' }],
        }
        try {
          // The answer to an earlier trial may have been lost.
          await removeTrials(signal)
          const answer = await api.write({ method: 'POST', path: module, body, isRepeatable: false, signal })
          await api.remove(`${module}/${writtenId(readResults(answer)[0])}`, signal)
          return { name: NAME, says: "made and deleted again; the CRM's recycle bin keeps it", isWrong: false }
        } catch (error) {
          if (!(error instanceof CrmRefused || error instanceof CrmUnavailable)) throw error
          const says = `${error.message.replace(/\.?$/, '.')} New leads wait for as long as this lasts. Change the CRM's rule, layout or right that is behind it`
          return { name: NAME, says, isWrong: true }
        }
      }),
  }
}
