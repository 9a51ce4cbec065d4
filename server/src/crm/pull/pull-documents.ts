import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { CrmUnavailable, TooMany } from '../../platform/errors.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'
import type { CrmAttachment } from '../../records/crm-records.ts'
import {
  beginLook,
  findLookedAtOfAllPartners,
  findPlaces,
  forgetLook,
  keepContact,
  type Look,
} from '../../records/documents/document-looks.queries.ts'
import { applyAttachments } from '../apply/apply-attachments.ts'
import { asOpened } from '../zoho/call-order.ts'
import { CrmForbidden, CrmRefused } from '../zoho/errors.ts'

/** A person who opens a record waits at most this long for the lender's documents. A later look gets any that are missing. */
const OPENED_MS_MAX = 3_000

interface Opening {
  /** Whether to look even if somebody looked a short while ago. */
  isWanted?: boolean
  /** Counts a look, and throws `TooMany` if there may be none. */
  count?: () => Promise<void>
}

/**
 * Looks for documents of a record that somebody opens, at most once a minute unless the look is wanted anyway (D103), and
 * no more often than the partner may.
 */
export async function pullDocumentsOf(
  deps: Deps,
  partnerId: string,
  loid: string,
  { isWanted = false, count }: Opening,
): Promise<void> {
  const look = await beginLook(deps.db, partnerId, loid, { isWanted })
  if (!look) return
  try {
    await count?.()
    await asOpened(() => pullDocuments(deps, { partnerId, loid }, look, AbortSignal.timeout(OPENED_MS_MAX)))
  } catch (error) {
    if (error instanceof TooMany) return
    if (!isOfCrm(error)) throw error
    if (!(error instanceof CrmForbidden)) await forgetLook(deps.db, partnerId, loid)
    deps.log.info({ err: error, loid }, 'the CRM did not return the documents of an opened record')
  }
}

/** Looks for documents of a record that has changed, because attaching one may be the change. */
export const pullDocumentsLater = defineJob({
  name: 'pull-documents',
  payload: z.object({ partnerId: z.string(), loid: z.string() }),
  key: ({ partnerId, loid }) => `${partnerId} ${loid}`,
  retry: { firstDelaySeconds: 30, delaySecondsMax: 300, giveUpAfterDays: 1 },
  async run(deps, { partnerId, loid }, signal) {
    const look = await beginLook(deps.db, partnerId, loid, { isWanted: true })
    try {
      if (look) await pullDocuments(deps, { partnerId, loid }, look, signal)
    } catch (error) {
      if (!(error instanceof CrmRefused || error instanceof CrmForbidden)) throw error
      deps.log.info({ err: error, loid }, 'the CRM does not give the documents of a changed record')
    }
  },
})

/** Has documents looked for on the changed records that somebody has opened. A record that nobody opens costs no call. */
export async function lookAtChanged(
  { db, jobs }: Pick<Deps, 'db' | 'jobs'>,
  records: readonly { loid: string }[],
): Promise<void> {
  if (records.length === 0) return
  const looked = await findLookedAtOfAllPartners(
    db,
    records.map(({ loid }) => loid),
  )
  for (const { partner_id: partnerId, loid } of looked) await jobs.enqueue(db, pullDocumentsLater, { partnerId, loid })
}

/** Looks at the lead, the deal and, after a conversion, the contact that was made with the deal. */
async function pullDocuments(
  deps: Deps,
  of: { partnerId: string; loid: string },
  look: Look,
  signal: AbortSignal,
): Promise<void> {
  const { db, crm } = deps
  const places = await findPlaces(db, of.partnerId, of.loid)
  const listed: CrmAttachment[] = []
  let isWhole = true
  for (const place of places) {
    const found = await crm.listAttachments(place, signal)
    if (found) listed.push(...found)
    else isWhole = false
  }
  const deal = places.find(({ module }) => module === 'Deals')
  if (deal && places.some(({ module }) => module === 'Leads')) {
    const known = look.contact_zoho_id && { zoho_id: look.contact_zoho_id, made_at: look.contact_made_at ?? '' }
    const contact =
      known || (look.contact_read ? undefined : await crm.findContactMadeWithDeal(deal.record_zoho_id, signal))
    if (!look.contact_read) await keepContact(db, of.partnerId, of.loid, contact)
    const found =
      contact && (await crm.listAttachments({ module: 'Contacts', record_zoho_id: contact.zoho_id }, signal))
    // What was attached before the contact was made came from the lead. Anything later may be about another referral.
    listed.push(...(found ?? []).filter((one) => contact && one.added_at <= contact.made_at))
  }
  await applyAttachments(deps, { ...of, listed, isWhole, isNews: look.is_news })
}

function isOfCrm(error: unknown): boolean {
  return error instanceof CrmUnavailable || error instanceof CrmRefused
}
