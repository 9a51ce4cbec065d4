import { setTimeout as sleep } from 'node:timers/promises'
import type { Crm } from '../soak/crm.ts'
import type { Acknowledged } from './load.ts'

const EVERY_MS = 1_000

/** The lender's notes about leads, which their partners get by mail. */
export interface Remark {
  words: string
  loid: string
  act: string
}

/** The lender's staff: they write about leads in the CRM, one each second. */
export function startStaff(crm: Crm, acknowledged: readonly Acknowledged[], act: () => string) {
  const remarks: Remark[] = []
  let isOver = false

  async function work(): Promise<void> {
    let next = 0
    while (!isOver) {
      await sleep(EVERY_MS)
      const lead = acknowledged[next]
      const id = lead && (await crm.findByLoid('Leads', lead.loid))
      // Not pushed yet.
      if (!id) continue
      // Another lead each time: what is written about one lead shares a mail.
      next = Math.max(next + 1, acknowledged.length - 100)
      const words = `Remark ${remarks.length}.`
      await crm.addNote('Leads', id, words)
      remarks.push({ words, loid: lead.loid, act: act() })
    }
  }

  const working = work()
  return {
    remarks,
    async stop() {
      isOver = true
      await working
    },
  }
}
