import { DEAL_NOTE_TITLE } from '@portal/contract/choices.ts'
import {
  askAboutPayment,
  askText,
  exportPayments,
  openStatement,
  readDealPayment,
  readPaymentSums,
  readPayments,
  readStatements,
} from '@portal/contract/payments.ts'
import type { Deps } from '../../deps.ts'
import { dayWriter } from '../../platform/csv.ts'
import { NotFound } from '../../platform/errors.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { RateLimit } from '../../platform/http/rate-limit.ts'
import { getDealLoid } from '../../records/deals/deals.queries.ts'
import { limitPartner } from '../accounts/limit-partner.ts'
import { addNoteToRecord } from '../notes/add-note.ts'
import { paymentFile } from './payment-file.ts'
import { findPayment, findPaymentSums, findPayments } from './payments.queries.ts'
import { findStatements, openPartnersStatement } from './statements.ts'

/** Each costs the CRM two credits. */
const OPENED: RateLimit = {
  name: 'statements-opened',
  points: 60,
  seconds: 3_600,
  text: 'You have opened 60 statements within an hour. Please try again later.',
}

export function paymentRoutes(mount: Mount, deps: Deps): void {
  const { clock, config } = deps
  const dayOf = dayWriter(config.timezone)
  /** The partner's payments as they are today, in the lender's time zone. */
  const askedBy = ({ id: partnerId }: { id: string }) => ({ partnerId, day: dayOf(clock.now().toISOString()) })

  mount(readPayments, async ({ partner, query, fromReplica }) => {
    const { total, ...data } = await fromReplica((from) => findPayments(from, askedBy(partner), query))
    return { data, pagination: { ...query, total, has_more: total > query.page * query.limit } }
  })
  mount(readPaymentSums, ({ partner, fromReplica }) => fromReplica((from) => findPaymentSums(from, askedBy(partner))))
  mount(exportPayments, ({ partner, security }) => paymentFile(deps, askedBy(partner), security))
  mount(readDealPayment, async ({ partner, params }) => {
    const loid = await getDealLoid(deps.db, partner.id, params.id)
    return { payment: (await findPayment(deps, loid, askedBy(partner))) ?? null }
  })
  mount(readStatements, async (call) => {
    await limitPartner(deps, call, 'looks')
    return { statements: await findStatements(deps, call.partner.id) }
  })
  mount(openStatement, async ({ partner, params, limit, security }) => {
    await limit(OPENED, partner.personId)
    const file = await openPartnersStatement(deps, partner.id, params.id)
    await security(deps.db, 'statement-opened')
    return file
  })
  mount(askAboutPayment, async (call) => {
    const { partner, params } = call
    await limitPartner(deps, call, 'notes')
    const loid = await getDealLoid(deps.db, partner.id, params.id)
    const payment = await findPayment(deps, loid, askedBy(partner))
    if (!payment) throw new NotFound('Payment not found')
    const note = { loid, on: 'deal' as const, title: DEAL_NOTE_TITLE, content: askText(payment) }
    return call.once((tx) => addNoteToRecord(tx, deps, partner, note))
  })
}
