import { setTimeout as sleep } from 'node:timers/promises'
import type { Crm } from '../soak/crm.ts'
import type { Acknowledged } from './load.ts'

const EVERY_MS = 1_000

/** A note by the lender about a lead. The lead's partner gets it by mail. */
export interface Remark {
  words: string
  loid: string
  act: string
}

/** Starts the lender's staff, who write one note about a lead in the CRM every second. */
export function startStaff(crm: Crm, acknowledged: readonly Acknowledged[], act: () => string) {
  const remarks: Remark[] = []
  let isOver = false

  async function work(): Promise<void> {
    let next = 0
    while (!isOver) {
      await sleep(EVERY_MS)
      const lead = acknowledged[next]
      const id = lead && (await crm.findByLoid('Leads', lead.loid))
      // There is no lead yet, or it has not been pushed.
      if (!id) continue
      // Each note is about a different lead, because notes about one lead share a mail.
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
