import type { GstRegistered, PortalAccess } from '@portal/contract/choices.ts'
import type { DEAL_COMMISSION, DEAL_RECORD } from '@portal/contract/deal-fields.ts'
import type { LEAD_RECORD, LEAD_VERDICT } from '@portal/contract/lead-fields.ts'
import type { TypedColumn, ValuesOf } from '@portal/contract/record-fields.ts'

type LeadValues = ValuesOf<typeof LEAD_RECORD>
type DealValues = ValuesOf<typeof DEAL_RECORD>
/** Optional fields (D110, D112) are undefined where the organisation lacks them. */
export type IfThere<Values> = { [Field in keyof Values]?: Values[Field] | undefined }

export interface Renamed {
  /**
   * The CRM's present name of a value that the portal has for a field: another one if the lender has renamed the choice,
   * which is no change of the record.
   */
  nameNow(field: string, value: string): string
}

/**
 * CRM records in the portal's own words. Only these types leave the folder. Text is trimmed, and null if empty.
 * Instants are ISO 8601 in UTC with milliseconds. Amounts are numbers.
 */
export interface CrmLead extends Omit<LeadValues, 'lead_status'>, IfThere<ValuesOf<typeof LEAD_VERDICT>>, Renamed {
  zoho_id: string
  loid: string | null
  /** The CRM id in the `Partner` lookup. It alone decides which partner owns the record (D30). */
  partner_zoho_id: string | null
  lead_status: string | null
  is_converted: boolean
  converted_deal_zoho_id: string | null
  converted_at: string | null
  created_at: string
  modified_time: string
}

export interface CrmDeal extends Omit<DealValues, 'stage'>, IfThere<ValuesOf<typeof DEAL_COMMISSION>>, Renamed {
  zoho_id: string
  loid: string | null
  partner_zoho_id: string | null
  stage: string | null
  created_at: string
  modified_time: string
}

/** What a partner's own record says of the partner, except what the portal writes there. */
export interface CrmPartner {
  zoho_id: string
  /** These five are read only where the organisation has the field that invites the partner (D116). */
  business_name?: string | null | undefined
  email?: string | null | undefined
  first_name?: string | null | undefined
  last_name?: string | null | undefined
  phone?: string | null | undefined
  manager_name?: string | null | undefined
  manager_phone?: string | null | undefined
  manager_email?: string | null | undefined
  /** Null if it is blank or has a word that the portal does not know (D116). */
  portal_access?: PortalAccess | null | undefined
  portal_access_reason?: string | null | undefined
  abn?: string | null | undefined
  gst_registered?: GstRegistered | null | undefined
  modified_time: string
}

export interface CrmNote {
  zoho_id: string
  title: string | null
  content: string
  /** A name, never an email address (D32a). */
  created_by: string | null
  /** The CRM's id of the user who made the note. */
  creator_zoho_id: string | null
  created_at: string
  modified_time: string
}

/** One change of a lead's status or a deal's stage as the CRM recorded it. */
export interface CrmHistoryEntry {
  /** The CRM's own id of the entry. */
  entry_id: string
  /** The new status or stage. */
  value: string
  changed_time: string
  changed_by: string | null
}

/** A record's id and the time of its last change, which are enough to decide what has to be fetched (D28). */
export interface CrmVersion {
  zoho_id: string
  modified_time: string
  /** Compared in addition to the time, because a conversion does not always change the time. */
  is_converted: boolean
}

/** A changed record of any partner: its version and its current owner. */
export interface CrmChange extends CrmVersion {
  partner_zoho_id: string | null
}

export interface CrmDeletion {
  zoho_id: string
  /** For a lead, its first and last name. For a deal, its name. */
  name: string | null
  deleted_time: string
}

/**
 * A notification from the CRM that something happened to these records. It is only a hint: the portal reads the records
 * to learn what happened.
 */
export interface CrmNotification {
  module: CrmModule | 'Notes' | 'Tasks' | 'Partners'
  zoho_ids: string[]
}

/** The time until which the CRM notifies the portal, and the modules whose changes the CRM does not report. */
export interface CrmWatch {
  until: string
  unwatched: CrmNotification['module'][]
}

/** A record that could not be read. */
export interface CrmProblem {
  zoho_id: string
  reason: string
}

/**
 * The result of reading records: the records that exist, in no particular order, and the ids of records that could not
 * be read.
 */
export interface CrmBatch<Item> {
  records: Item[]
  problems: CrmProblem[]
}

/** What the portal writes into a partner's CRM record. */
export interface PartnerToPush {
  business_name: string
  email: string
  first_name: string | null
  last_name: string | null
  phone: string | null
  /** Of the agreement that was accepted last (D113). */
  agreement_version: string | null
  /** YYYY-MM-DD */
  agreed_on: string | null
  abn: string | null
  gst_registered: GstRegistered | null
  /** Only for a partner that waits for the lender's word (D116). */
  portal_access?: PortalAccess
}

export const PARTNER_FIELDS = [
  'business_name',
  'email',
  'first_name',
  'last_name',
  'phone',
  'agreement_version',
  'agreed_on',
  'abn',
  'gst_registered',
] as const satisfies readonly (keyof PartnerToPush)[]

/** Those that an organisation may lack. They empty a field of the CRM's record only if the portal wrote or read its value. */
export const OPTIONAL_PARTNER_FIELDS = [
  'agreement_version',
  'agreed_on',
  'abn',
  'gst_registered',
] as const satisfies readonly (keyof PartnerToPush)[]

/** How a partner uses the portal, as the lender's team sees it in the partner's record (D116). */
export interface PartnerFacts {
  portal_people: number
  /** YYYY-MM-DD */
  portal_last_seen: string | null
  portal_leads_90_days: number
  portal_won_90_days: number
  /** How many leads, deals and notes have not reached the CRM. */
  portal_waiting: number
}

/** What the portal tells the lender's team in one partner's record. */
export interface PartnerReport {
  zoho_id: string
  facts: Partial<PartnerFacts> & { portal_problem?: string | null }
}

export interface PushedPartner {
  zoho_id: string
  /** The CRM's names of the fields whose values it did not accept. The record was written without them. */
  left_out: string[]
  /** The portal's names of the fields that the organisation lacks. */
  lacking: readonly string[]
  /** True if the record existed before and may own leads and deals. */
  was_there: boolean
}

/** A record that a push has brought to the CRM. */
export interface ArrivedRecord {
  zoho_id: string
  /** The CRM's time of the insertion. Null if the record was there before, because it may have changed since. */
  modified_time: string | null
}

/** What the portal writes when it makes a lead in the CRM. A push never changes a lead that the CRM already has. */
export interface LeadToPush extends Pick<LeadValues, TypedColumn<typeof LEAD_RECORD> | 'lead_status' | 'lead_source'> {
  loid: string
  partner_zoho_id: string
  /** The consent line's version and time in one text. */
  referral_consent: string | null
  submitted_by: string | null
}

/** A record whose first push may have arrived even though its answer was lost. `sent_at` is the time of that push. */
export type SentLead = Pick<LeadToPush, 'loid' | 'first_name' | 'last_name' | 'business_name'> & { sent_at: string }
export type SentDeal = Pick<DealToPush, 'loid' | 'deal_name' | 'business_name'> & { sent_at: string }

/**
 * The state of sent records in the CRM, by LOID. A record in neither map never arrived, or it was deleted and cannot be
 * recognised: either staff renamed it first, or Zoho no longer lists the deletion, because it is too old or because too
 * many other deletions followed.
 */
export interface SentRecords {
  /** The CRM id of each record that the CRM has. */
  there: Map<string, string>
  /**
   * For each record that is not in `there`, the ids of deleted records with the same name. They are found by name,
   * because the list of deletions has no LOIDs. The list is read last, so a record that staff delete during the search
   * is in one of the two maps.
   */
  deleted: Map<string, string[]>
}

/** What the portal writes when it makes a deal in the CRM. A push never changes a deal that the CRM already has. */
export interface DealToPush extends Omit<DealValues, 'contact_name' | 'probability'> {
  loid: string
  partner_zoho_id: string
  submitted_by: string | null
  created_at: string
}

export interface NoteToPush {
  title: string | null
  content: string
  created_at: string
  /** When an earlier push sent the note. If none has, the CRM cannot have it, and its record's notes are not read. */
  crm_sent_at: string | null
  /**
   * Returns which of these CRM notes belong to other notes of the portal, so that two notes with the same text are both
   * kept.
   */
  findOthers?: (zohoIds: readonly string[]) => Promise<ReadonlySet<string>>
  /**
   * For a note on a deal, the lead that became the deal. The note may have been added to the lead before the
   * conversion.
   */
  lead_zoho_id?: string | undefined
  /** Awaited just before the note is sent, if the CRM does not have it. The note is not sent if this throws. */
  beforeSending?: () => Promise<void>
}

/** A note as found in a listing of all notes, with the record it was written on. */
export interface CrmNoteOfRecord {
  module: CrmModule
  record_zoho_id: string
  note: CrmNote
}

/** Where an attachment is in the CRM. */
export interface AttachmentPlace {
  module: CrmModule | 'Contacts' | 'Partners'
  record_zoho_id: string
}

/** A file on a record of the CRM. */
export interface CrmAttachment extends AttachmentPlace {
  zoho_id: string
  name: string
  size: number
  /** A name, never an email address. */
  added_by: string | null
  added_at: string
}

/** A task as staff wrote it. */
export interface CrmTask {
  zoho_id: string
  /** The record that the task is about, of any module. Null if it names none, as while its record is in the recycle bin. */
  record_zoho_id: string | null
  /** Whether that record stands in the field for contacts, which in some organisations names leads too. */
  names_person: boolean
  subject: string
  reason: string | null
  /** YYYY-MM-DD */
  due_on: string | null
  status: string | null
  is_completed: boolean
  created_at: string
  modified_time: string
}

/** A LOID for a record that was created in the CRM. */
export interface LoidToPush {
  zoho_id: string
  loid: string
  /** Set if the record should name its partner but does not. */
  partner_zoho_id?: string
}

export type CrmModule = 'Leads' | 'Deals'

export interface CrmOrganisation {
  id: string | null
  name: string | null
  timezone: string | null
  currency: string | null
}

/**
 * The result of testing one thing that the portal needs from the CRM. `says` describes the result. If something is
 * wrong, it also says what to do.
 */
export interface CrmCheck {
  name: string
  says: string
  isWrong: boolean
}

/** The result of creating the missing fields, each named as `Module.Field`. */
export interface MadeFields {
  made: string[]
  problems: { field: string; reason: string }[]
}

/** One CRM record that contradicts the portal's data, such as a record with another record's LOID. */
export class CrmConflict extends Error {
  override name = 'CrmConflict'
}
