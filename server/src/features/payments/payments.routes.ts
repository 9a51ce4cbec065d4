import { readDealPayment } from '@portal/contract/payments.ts'
import type { Deps } from '../../deps.ts'
import { dayWriter } from '../../platform/csv.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { getDealLoid } from '../../records/deals/deals.queries.ts'
import { findPayment } from './payments.queries.ts'

export function paymentRoutes(mount: Mount, deps: Deps): void {
  const { db, reads, clock, config } = deps
  /** Today for the lender. */
  const today = () => dayWriter(config.timezone)(clock.now().toISOString())

  mount(readDealPayment, async ({ partner, params }) => {
    const loid = await getDealLoid(db, partner.id, params.id)
    return { payment: (await findPayment(reads, partner.id, loid, today())) ?? null }
  })
}
