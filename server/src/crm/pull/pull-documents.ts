import * as z from 'zod/mini'
import type { Deps } from '../../deps.ts'
import { TooMany } from '../../platform/errors.ts'
import { defineJob } from '../../platform/jobs/define-job.ts'
import type { CrmAttachment } from '../../records/crm-records.ts'
import {
  beginLook,
  findLookedAtOfAllPartners,
  findPlaces,
  findSentDocuments,
  forgetLook,
  keepContact,
  type Look,
  markLooked,
} from '../../records/documents/document-looks.queries.ts'
import { applyAttachments, isForPartner } from '../apply/apply-attachments.ts'
import { AttachmentsNotListed } from '../zoho/attachments.ts'
import { asOpened } from '../zoho/call-order.ts'
import { CrmForbidden, CrmRefused, isOfCrm } from '../zoho/errors.ts'
import { findRowsOf } from './find-rows-of.ts'
import { beginAtCursor, moveCursor } from './sweep/sweep-cursors.queries.ts'

/** As for other lists, Zoho may show a file a little later than its time says. */
const OVERLAP_MS = 60_000
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
  const { deleted, moved } = await followMissing(deps, of, listed, signal)
  await applyAttachments(deps, { ...of, listed: [...listed, ...moved], isWhole, deleted, isNews: look.is_news })
  await markLooked(db, of.partnerId, of.loid)
}

/**
 * Follows the partner's own files that are not listed. A file is deleted if neither the record that had it nor what became
 * of that record has it, and the CRM shows them all. They are listed after the file is known to have reached the CRM, which
 * may have been after the first lists.
 */
async function followMissing(
  { db, crm }: Pick<Deps, 'db' | 'crm'>,
  { partnerId, loid }: { partnerId: string; loid: string },
  listed: readonly CrmAttachment[],
  signal: AbortSignal,
): Promise<{ deleted: string[]; moved: CrmAttachment[] }> {
  const there = new Set(listed.map(({ zoho_id }) => zoho_id))
  const missing = (await findSentDocuments(db, partnerId, loid)).filter(({ zoho_id }) => !there.has(zoho_id))
  const deleted: string[] = []
  const moved: CrmAttachment[] = []
  for (const [place, ...others] of Map.groupBy(missing, (one) => one.record_zoho_id).values()) {
    if (!place) continue
    const files: CrmAttachment[] = []
    let isAllShown = true
    for await (const list of crm.followAttachments(place, signal)) {
      files.push(...(list ?? []))
      isAllShown &&= list !== null
    }
    for (const { id, zoho_id } of [place, ...others]) {
      const file = files.find((one) => one.zoho_id === zoho_id)
      if (file) moved.push(file)
      else if (isAllShown) deleted.push(id)
    }
  }
  return { deleted, moved }
}

/**
 * Applies what staff have attached to any lead or deal since the last look, where Zoho lists that (D103). Anything that
 * nothing has told of is found so, and costs no call for each record.
 */
export async function sweepDocuments(deps: Deps, signal: AbortSignal): Promise<void> {
  const { db, crm, config } = deps
  const begun = crm.now().toISOString()
  const from = Date.parse(await beginAtCursor(db, 'attachments', begun)) - OVERLAP_MS
  try {
    for await (const files of crm.attachmentPagesSince(new Date(from).toISOString(), signal)) {
      for (const module of ['Leads', 'Deals'] as const) {
        const meant = files.filter((one) => one.module === module && isForPartner(config, one))
        const ofRecords = Map.groupBy(meant, (one) => one.record_zoho_id)
        for (const { partner_id: partnerId, loid, zoho_id } of await findRowsOf(deps, module, [...ofRecords.keys()])) {
          const listed = ofRecords.get(zoho_id ?? '') ?? []
          await applyAttachments(deps, { partnerId, loid, listed, isWhole: false, isNews: true })
        }
      }
    }
  } catch (error) {
    if (!(error instanceof AttachmentsNotListed)) throw error
    return
  }
  await moveCursor(db, 'attachments', begun)
}
