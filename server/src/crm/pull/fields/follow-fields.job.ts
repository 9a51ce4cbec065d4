import * as z from 'zod/mini'
import { defineJob } from '../../../platform/jobs/define-job.ts'
import { asBackground } from '../../zoho/call-order.ts'
import { isOfCrm } from '../../zoho/errors.ts'
import { followFieldMap } from './follow-map.ts'
import { noteFieldGroups, readOptionalValues } from './optional-values.ts'
import { writeLacking } from './write-lacking.ts'

/**
 * Follows the organisation if it adds or deletes optional fields (D110, D112), and the operator if the field map changes
 * (D126). `crm setup` is followed at once.
 */
export const followFields = defineJob({
  name: 'follow-fields',
  payload: z.object({}),
  schedule: '43 * * * *',
  runsAtStart: true,
  retry: { firstDelaySeconds: 30, delaySecondsMax: 300, giveUpAfterDays: 1 },
  async run(deps, _, signal) {
    try {
      await asBackground(async () => {
        await followFieldMap(deps, signal)
        await noteFieldGroups(deps, signal)
        await readOptionalValues(deps, signal)
        await writeLacking(deps)
      })
    } catch (error) {
      if (!isOfCrm(error)) throw error
      deps.log.warn({ err: error }, 'the optional fields could not be followed; the next run tries again')
    }
  },
})
