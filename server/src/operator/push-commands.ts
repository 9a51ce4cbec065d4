import { pushDeal } from '../crm/push/push-deal.job.ts'
import { pushLead } from '../crm/push/push-lead.job.ts'
import { pushNote } from '../crm/push/push-note.job.ts'
import { pushPartner } from '../crm/push/push-partner.job.ts'
import { forgetRefusedOfAllPartners } from '../crm/push/refused-pushes.queries.ts'
import { reviveFailedOfAllPartners } from '../records/kinds/not-taken.queries.ts'
import { type Command, noPositional, UsageError, usageOf } from './command.ts'
import { retryJobs } from './jobs.queries.ts'

const AT_ONCE = 200

export const retryPushes: Command = {
  name: 'push retry',
  parameters: '--all',
  summary: 'Sends every lead, deal and note that has not reached the CRM now, also those that were given up.',
  options: { all: { type: 'boolean' } },
  async run(given, workplace) {
    noPositional(retryPushes, given)
    if (given.values['all'] !== true) throw new UsageError(`usage: ${usageOf(retryPushes)}`)
    const { db, jobs } = (await workplace.workingParts()).deps
    const reviveSome = () =>
      db.transaction().execute(async (tx) => {
        const records = await reviveFailedOfAllPartners(tx, AT_ONCE)
        for (const record of records) {
          const { partnerId } = record
          if (record.on === 'leads') await jobs.enqueue(tx, pushLead, { partnerId, loid: record.loid })
          else if (record.on === 'deals') await jobs.enqueue(tx, pushDeal, { partnerId, loid: record.loid })
          else await jobs.enqueue(tx, pushNote, { partnerId, noteId: record.noteId })
        }
        return records.length
      })
    await forgetRefusedOfAllPartners(db)
    let revived = 0
    for (let some = await reviveSome(); some > 0; some = await reviveSome()) revived += some
    let waiting = 0
    for (const job of [pushPartner, pushLead, pushDeal, pushNote]) waiting += await retryJobs(db, job.name)
    workplace.say(`${revived} that were given up are sent again; ${waiting} pushes run now`)
  },
}
