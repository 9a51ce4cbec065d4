import type { AttentionItem } from '@portal/contract/attention.ts'
import type { GstRegistered, PortalAccess } from '@portal/contract/choices.ts'
import { type DEAL_COMMISSION, DEAL_RECORD } from '@portal/contract/deal-fields.ts'
import type { FieldGroup } from '@portal/contract/field-groups.ts'
import type { Hold } from '@portal/contract/holds.ts'
import type { ImportColumn, ImportFieldName, ImportState, RowProblem, RowStanding } from '@portal/contract/imports.ts'
import { LEAD_RECORD, type LEAD_VERDICT } from '@portal/contract/lead-fields.ts'
import type { NewLead } from '@portal/contract/lead-form.ts'
import type { DuplicateLead } from '@portal/contract/leads.ts'
import type { HistoryKind } from '@portal/contract/meanings.ts'
import type { MailKind, MailTiming } from '@portal/contract/notifications.ts'
import { keysOf, typedColumns, type ValuesOf } from '@portal/contract/record-fields.ts'
import type { Role } from '@portal/contract/roles.ts'
import type { SecurityEvent, SecurityKind } from '@portal/contract/security-log.ts'
import type { SignUpMode } from '@portal/contract/sign-up-mode.ts'
import type { ViewedList } from '@portal/contract/views.ts'
import type { ColumnType, GeneratedAlways, Insertable, JSONColumnType, Selectable } from 'kysely'

/**
 * An instant is ISO 8601 text in UTC, whether it is written or read (D7). `openDatabase` configures the driver for
 * this.
 */
type Instant = string

type CrmState = 'pending' | 'synced' | 'failed'
type Json = JSONColumnType<object, object | string, object | string>

interface PartnersTable {
  id: string
  business_name: string
  is_active: ColumnType<boolean, boolean | undefined, boolean>
  zoho_id: ColumnType<string | null, undefined, string | null>
  /** `held` while the partner is not connected with the CRM, for the reason in `held_for` (D121, D122). */
  crm: ColumnType<CrmState | 'held', CrmState | undefined, CrmState | 'held'>
  crm_problem: ColumnType<string | null, undefined, string | null>
  /** What the portal last wrote into the partner's CRM record, by its own names; null if that is not known. */
  crm_fields: ColumnType<Record<string, string | null> | null, undefined, string | null>
  created_at: Instant
  modified_time: Instant
  closed_at: ColumnType<Instant | null, undefined, Instant>
  crm_record_sent_at: ColumnType<Instant | null, undefined, Instant | null>
  pushes_unverified: ColumnType<boolean, undefined, boolean>
  held_for: ColumnType<Hold | null, undefined, Hold | null>
  link_candidates: ColumnType<string[], undefined, string[]>
  link_records: ColumnType<number | null, undefined, number | null>
  link_confirmed: ColumnType<string | null, undefined, string | null>
  link_confirmed_by: ColumnType<string | null, undefined, string | null>
  second_factor_required: ColumnType<boolean, undefined, boolean>
  compared_name: ColumnType<string | null, string | undefined, string>
  /** The word of the partner's CRM record; null if it is blank or unknown, or the organisation has no such field. */
  portal_access: ColumnType<PortalAccess | null, undefined, PortalAccess | null>
  portal_access_reason: ColumnType<string | null, undefined, string | null>
  portal_access_at: ColumnType<Instant | null, undefined, Instant | null>
  sign_up: ColumnType<SignUpMode, SignUpMode | undefined, never>
  /** When the lender first let the partner in, if it came under approval or invite. */
  opened_at: ColumnType<Instant | null, undefined, Instant | null>
  /** The business's tax details (D113). */
  abn: ColumnType<string | null, undefined, string | null>
  gst_registered: ColumnType<GstRegistered | null, undefined, GstRegistered | null>
  /** What the word means for this partner (D116). */
  access: GeneratedAlways<'active' | 'pending' | 'suspended'>
}

interface PeopleTable {
  id: string
  partner_id: string
  email: string
  first_name: string | null
  last_name: string | null
  phone: ColumnType<string | null, string | null | undefined, string | null>
  password_hash: string
  role: Role
  is_active: ColumnType<boolean, undefined, boolean>
  email_verified: ColumnType<boolean, boolean | undefined, boolean>
  must_recover: ColumnType<boolean, undefined, boolean>
  put_away_announcement: ColumnType<string | null, undefined, string>
  sees_money: ColumnType<boolean, undefined, boolean>
  last_seen_at: ColumnType<Instant | null, undefined, Instant>
  created_at: Instant
  modified_time: Instant
}

/** A view of the people who are named in the partners' CRM records. */
interface PartnerContactsView {
  partner_id: GeneratedAlways<string>
  person_id: GeneratedAlways<string>
  email: GeneratedAlways<string>
  first_name: GeneratedAlways<string | null>
  last_name: GeneratedAlways<string | null>
  phone: GeneratedAlways<string | null>
  email_verified: GeneratedAlways<boolean>
}

interface InvitationsTable {
  id: string
  partner_id: string
  email: string
  first_name: string
  last_name: string | null
  role: Role
  invited_by: string | null
  created_at: Instant
  token_hash: ColumnType<Buffer | null, undefined, Buffer | null>
  expires_at: Instant | null
  link_id: string | null
}

interface PartnerInvitationsTable {
  zoho_id: string
  crm_modified_time: Instant
  state: 'waiting' | 'mailed' | 'accepted' | 'withdrawn'
  email: string | null
  business_name: string | null
  first_name: string | null
  last_name: string | null
  phone: string | null
  asked_at: ColumnType<Instant, undefined, never>
  link_id: string | null
  mailed_at: Instant | null
  token_hash: Buffer | null
  expires_at: Instant | null
  problem: string | null
  told_problem: string | null
}

interface KnownSourcesTable {
  person_id: string
  source_hash: Buffer
  seen_at: Instant
}

interface SessionsTable {
  token_hash: Buffer
  person_id: string
  family_id: string
  ip: ColumnType<string | null, string | null, never>
  browser: ColumnType<string | null, string | null, never>
  last_seen_at: Instant | null
  successor_seed: ColumnType<Buffer | null, undefined, Buffer>
  signed_in_at: Instant
  confirmed_at: Instant
  expires_at: Instant
}

interface TotpKeysTable {
  person_id: string
  secret: Buffer
  confirmed_at: ColumnType<Instant | null, undefined, Instant>
  last_step: ColumnType<number, undefined, number>
  created_at: Instant
}

interface RecoveryCodesTable {
  person_id: string
  code_hash: string
}

interface PasskeysTable {
  id: string
  person_id: string
  credential_id: string
  public_key: Buffer
  counter: number
  transports: string[]
  name: string
  created_at: Instant
  last_used_at: ColumnType<Instant | null, undefined, Instant>
}

interface PasskeyChallengesTable {
  challenge: string
  person_id: string | null
  expires_at: Instant
}

interface AccountTokensTable {
  token_hash: Buffer
  person_id: string
  purpose: 'reset-password' | 'verify-email' | 'verified-email' | 'second-factor'
  expires_at: Instant
}

/** Mailed links that no longer work. */
type EndedLinksTable = AccountTokensTable

interface IdempotencyKeysTable {
  scope: string
  key_hash: Buffer
  request_hash: Buffer
  answer: JSONColumnType<object> | null
  created_at: Instant
}

/** The columns that leads and deals have alike, beside the CRM's fields. */
interface RecordColumns {
  id: string
  partner_id: string
  loid: string
  /** The person who entered the record; null if a system or the lender did. */
  submitter_id: string | null
  submitted_by: string | null
  created_at: Instant
  modified_time: Instant
  zoho_id: string | null
  crm: CrmState
  crm_problem: string | null
  crm_sent_at: ColumnType<Instant | null, undefined, Instant | null>
  crm_modified_time: Instant | null
  crm_read_at: Instant | null
  archived_at: Instant | null
  history_due: ColumnType<boolean, boolean | undefined, boolean>
  history_told_until: Instant | null
  notes_due: ColumnType<boolean, boolean | undefined, boolean>
  /** When the applicant's data was erased (D97). The emptied fields stay empty. */
  erased_at: Instant | null
  /** See `searchColumns`. Null only within a transaction that has changed the row without it. */
  search_fold: ColumnType<string | null, string | undefined, string | null>
  /** Null unless the partner is in `keyed_partners`. */
  search_keys: ColumnType<number[] | null, number[] | undefined, number[] | null>
}

interface LeadsTable extends RecordColumns, ValuesOf<typeof LEAD_RECORD>, ValuesOf<typeof LEAD_VERDICT> {
  consent_version: string | null
  consent_at: Instant | null
  converted_at: Instant | null
  /** When the CRM converted the lead, as long as it has no deal for it (D124). `converted_at` is null until then. */
  awaits_deal_since: Instant | null
  /**
   * The LOID of the deal that the lead became. It is the lead's own LOID (D17) unless a deal replaced the lead (D49) or
   * the CRM's conversion did not copy the LOID.
   */
  deal_loid: string | null
  /** When a deal replaced the lead by matching; null if the CRM converted the lead. */
  matched_at: Instant | null
  /** Whether the answer of a sync has already counted the match. */
  match_told: ColumnType<boolean, boolean | undefined, boolean>
  archived_reason: 'left-crm' | 'withdrawn' | null
  /** When the portal first saw that the lender had touched the lead, so that the partner can change it no more (D86). */
  touched_at: ColumnType<Instant | null, undefined, Instant | null>
}

interface DealsTable extends RecordColumns, ValuesOf<typeof DEAL_RECORD>, ValuesOf<typeof DEAL_COMMISSION> {
  /** The LOID of the lead that became the deal, by matching (D49) or in the CRM, if it differs from the deal's LOID. */
  lead_loid: string | null
  archived_reason: 'left-crm' | null
}

interface HistoryEntriesTable {
  id: string
  partner_id: string
  kind: HistoryKind
  loid: string
  value: string
  changed_time: Instant
  changed_by: string | null
  description: string | null
  origin: 'submitted' | 'crm' | 'observed'
  crm_entry_id: string | null
}

interface UsualTimesTable {
  partner_id: string
  kind: HistoryKind
  value: string
  days: number
  entries: number
}

interface UsualTimesDueTable {
  partner_id: string
  due_at: Instant
}

/** Only the triggers of leads and deals write to this table. */
interface RecordCountsTable {
  partner_id: GeneratedAlways<string>
  kind: GeneratedAlways<'lead' | 'deal'>
  value: GeneratedAlways<string>
  is_converted: GeneratedAlways<boolean>
  records: GeneratedAlways<number>
  with_amount: GeneratedAlways<number>
  amount: GeneratedAlways<number>
}

interface NotesTable {
  id: string
  partner_id: string
  loid: string
  written_on: 'lead' | 'deal'
  title: string | null
  content: string
  created_by: string | null
  submitter_id: string | null
  submitted_by: string | null
  created_at: Instant
  zoho_id: string | null
  crm: CrmState
  crm_problem: string | null
  /** When a push of the note was last sent, by the database's clock. Null if the CRM is known not to have taken it. */
  crm_sent_at: Instant | null
  /** Whether the lender's staff wrote the note. */
  is_from_crm: ColumnType<boolean, boolean | undefined, boolean>
}

interface ImportsTable {
  id: string
  partner_id: string
  person_id: string | null
  name: string | null
  state: ImportState
  columns: JSONColumnType<ImportColumn[], string, string>
  rows: number
  with_duplicates: ColumnType<boolean, undefined, boolean>
  consent_version: ColumnType<string | null, undefined, string>
  chosen: ColumnType<number | null, undefined, number>
  submitted: ColumnType<number, undefined, number>
  changed: ColumnType<number, undefined, number>
  created_at: Instant
  submitted_at: ColumnType<Instant | null, undefined, Instant>
  done_at: ColumnType<Instant | null, undefined, Instant | null>
  changed_at: Instant
  has_rows: ColumnType<boolean, undefined, boolean>
  undo_asked_at: ColumnType<Instant | null, undefined, Instant>
  undo_person_id: ColumnType<string | null, undefined, string>
  undone_at: ColumnType<Instant | null, undefined, Instant>
  withdrawn: ColumnType<number, undefined, number>
  kept: ColumnType<number, undefined, number>
}

interface ImportRowsTable {
  partner_id: string
  import_id: string
  number: number
  cells: JSONColumnType<string[]>
  mended: JSONColumnType<Partial<Record<ImportFieldName, string>>>
  hash: Buffer
  lead: JSONColumnType<NewLead> | null
  problems: JSONColumnType<RowProblem[]>
  keys: string[]
  duplicates: JSONColumnType<DuplicateLead[]>
  known_as: string | null
  earlier: number | null
  standing: GeneratedAlways<RowStanding>
  is_chosen: ColumnType<boolean, undefined, boolean>
  outcome: ColumnType<'submitted' | 'left-out' | null, undefined, 'submitted' | 'left-out' | null>
  since: ColumnType<string | null, undefined, string | null>
  refused: ColumnType<boolean, undefined, boolean>
  loid: ColumnType<string | null, undefined, string>
  undo: ColumnType<'withdrawn' | 'kept' | null, undefined, 'withdrawn' | 'kept'>
  kept_because: ColumnType<string | null, undefined, string | null>
}

interface ImportedRowsTable {
  partner_id: string
  hash: Buffer
  import_id: string
  loid: string
}

interface RequestsTable {
  id: string
  zoho_id: string
  record_zoho_id: string
  subject: string
  /** Whether the task's own subject begins with 'Partner:'. */
  is_named: boolean
  reason: string | null
  due_on: string | null
  /** The task's status as it was last read. */
  status: string | null
  state: 'asked' | 'sent' | 'accepted' | 'again' | 'withdrawn'
  asked_at: Instant
  crm_modified_time: Instant
  /** By the CRM's clock. */
  answered_at: Instant | null
  /** The time of the answer before that one. */
  answered_before: Instant | null
}

interface DocumentsTable {
  id: string
  partner_id: string
  loid: string
  /** The person who uploaded the file; null for the lender's files. */
  person_id: string | null
  added_by: string | null
  request_id: string | null
  /** The answer's time that the file gave its request. */
  answered_at: ColumnType<Instant | null, Instant | null | undefined>
  name: string
  size: number
  type: string | null
  /** Null for the lender's files. */
  sha256: string | null
  state: 'uploading' | 'pending' | 'synced' | 'failed'
  problem: ColumnType<string | null, string | null | undefined>
  added_at: Instant
  /** How many bytes of an upload are here, and when a part last came. */
  arrived: ColumnType<number, undefined, number>
  continued_at: ColumnType<Instant, Instant | undefined>
  zoho_id: ColumnType<string | null, string | null | undefined>
  crm_module: ColumnType<string | null, string | null | undefined>
  crm_record: ColumnType<string | null, string | null | undefined>
  /** The name under which the file was last sent, and when. The answer may have been lost. */
  sent_name: ColumnType<string | null, undefined, string | null>
  sent_at: ColumnType<Instant | null, undefined, Instant | null>
  removed_at: ColumnType<Instant | null, undefined, Instant | null>
  /** When the portal saw that the lender had deleted the partner's own file. */
  deleted_at: ColumnType<Instant | null, undefined, Instant | null>
}

interface DocumentPartsTable {
  partner_id: string
  document_id: string
  number: number
  content: Buffer
}

interface DocumentLooksTable {
  partner_id: string
  loid: string
  /** When somebody last looked, and when a look last succeeded. */
  looked_at: Instant
  read_at: Instant | null
  contact_read: boolean
  contact_zoho_id: string | null
  contact_made_at: Instant | null
}

interface EventsTable {
  id: string
  partner_id: string
  type: string
  loid: string | null
  data: Json
  person_id: ColumnType<string | null, string | null | undefined>
  created_at: Instant
  to_deliver: ColumnType<boolean, boolean | undefined, boolean>
}

interface SeenTable {
  person_id: string
  began_at: Instant
  seen_until: Instant
  /** A PostgreSQL snapshot in its text form. */
  snapshot: string
}

interface SeenRecordsTable {
  person_id: string
  loid: string
  seen_until: Instant
  snapshot: string
}

interface PutAwayTable {
  person_id: string
  kind: AttentionItem['kind']
  record_id: string
  version: number
  put_away_at: Instant
  /** Null if the item is hidden until its record changes. */
  hidden_until: Instant | null
}

interface AttentionDoneTable {
  partner_id: string
  kind: AttentionItem['kind']
  record_id: string
  version: number
  snapshot: string
  done_at: Instant
}

interface SyncRunsTable {
  id: string
  partner_id: string
  kind: 'leads' | 'deals' | 'all'
  status: 'running' | 'succeeded' | 'failed'
  phase: string | null
  done: ColumnType<number, number | undefined, number>
  total: ColumnType<number, number | undefined, number>
  error: string | null
  result: Json | null
  started_at: Instant
  finished_at: Instant | null
}

interface SweepCursorsTable {
  list:
    | 'leads'
    | 'deals'
    | 'deleted-leads'
    | 'deleted-deals'
    | 'deleted-partners'
    | 'notes'
    | 'tasks-partner'
    | 'tasks-all'
    | 'partners'
    | 'invited'
    | 'attachments'
  position: Instant
  /** When a sweep last read all lists to their ends. */
  swept_at: ColumnType<Instant, never, Instant>
}

/** The groups of optional fields that the organisation has (D110, D112). */
interface CrmFieldNamesTable {
  module: 'Leads' | 'Deals'
  field: string
  name: string
}

interface ToldFactsTable {
  partner_id: string
  zoho_id: string | null
  facts: Json
  facts_at: Instant | null
  problem: string | null
  problem_records: string[]
}

interface PartnerFactsTable {
  partner_id: string
  /** The record that says so. */
  zoho_id: string
  crm_modified_time: Instant
  manager_name: string | null
  manager_phone: string | null
  manager_email: string | null
}

interface AcceptedAgreementsTable {
  partner_id: string
  sha256: string
  version: string
  person_id: string | null
  ip: string | null
  agreed_at: Instant
  /** YYYY-MM-DD */
  agreed_on: string
}

interface CrmFieldGroupsTable {
  name: FieldGroup
  /** The portal's names of the fields. */
  fields: string[]
  /** When these fields were first seen. */
  seen_at: Instant
  /** When the last reading of their values began that reached its end. */
  read_at: Instant | null
}

interface ChosenLoidsTable {
  zoho_id: string
  loid: string
}

interface CrmTokensTable {
  connection: string
  access_token: string | null
  api_domain: string | null
  expires_at: Instant | null
  quiet_until: Instant | null
}

interface LeasesTable {
  name: string
  holder: string
  until: Instant
}

interface CrmCallsTable {
  hour: Instant
  calls: number
  credits: number
  /** Calls that read a history again because another field of its record changed (D126). */
  later: ColumnType<number, number | undefined, number>
}

interface CrmPartnerCreditsTable {
  hour: Instant
  partner_id: string
  credits: number
}

interface CrmCallersTable {
  id: string
  seen_at: Instant
}

interface CrmChoicesTable {
  field: string
  choices: JSONColumnType<string[], string, string>
  fetched_at: Instant
}

interface ApiKeysTable {
  partner_id: string
  key_hash: Buffer
  preview: string
  created_at: Instant
  last_used_at: Instant | null
  made_by: ColumnType<string | null, string | undefined, string | null>
}

/** Only the triggers of leads and deals write to this table, and the prune job removes from it. */
interface RecordChangesTable {
  record_id: GeneratedAlways<string>
  partner_id: GeneratedAlways<string>
  kind: GeneratedAlways<'lead' | 'deal'>
  loid: GeneratedAlways<string>
  at: GeneratedAlways<Instant>
}

interface NamedApiKeysTable {
  id: string
  partner_id: string
  name: string
  may_submit: boolean
  may_read: boolean
  key_hash: Buffer
  preview: string
  made_by: string | null
  created_at: Instant
  last_used_at: ColumnType<Instant | null, Instant | null | undefined, Instant | null>
}

interface WebhookEndpointsTable {
  partner_id: string
  url: string
  secret: string
  previous_secret: string | null
  previous_secret_until: Instant | null
  failing_since: Instant | null
  disabled_at: Instant | null
  disabled_reason: 'gone' | 'failing' | null
  created_at: Instant
  updated_at: Instant
  made_by: ColumnType<string | null, string | undefined, string | null>
  secret_made_by: string | null
}

interface WebhookLogsTable {
  id: string
  partner_id: string
  direction: 'inbound' | 'outbound'
  status: 'success' | 'failed' | 'error' | 'pending'
  endpoint: string
  api_key: string | null
  event_id: string | null
  event_type: string | null
  loid: string | null
  response_status: number | null
  error_message: string | null
  request_body: string | null
  response_body: string | null
  attempts: ColumnType<number, number | undefined, number>
  attempts_before: ColumnType<number, number | undefined, number>
  next_attempt_at: Instant | null
  claimed_until: Instant | null
  created_at: Instant
  search_text: GeneratedAlways<string>
}

interface WebhookAttemptsTable {
  log_id: string
  number: number
  started_at: Instant
  duration_ms: number
  response_status: number | null
  error_message: string | null
}

interface EmailChangesTable {
  id: string
  person_id: string
  old_email: string
  new_email: string
  asked_at: Instant
  confirm_hash: ColumnType<Buffer | null, undefined, Buffer | null>
  confirm_until: Instant
  done_at: ColumnType<Instant | null, undefined, Instant>
  undo_hash: ColumnType<Buffer | null, undefined, Buffer>
  undo_until: ColumnType<Instant | null, undefined, Instant | null>
}

interface SecurityLogTable {
  id: string
  partner_id: string
  at: Instant
  event: SecurityEvent
  kind: SecurityKind
  person_id: string | null
  subject_id: string | null
  subject_name: string | null
  detail: string | null
  reason: string | null
  ip: string | null
  browser: string | null
}

interface HiddenRecordsTable {
  module: string
  zoho_id: string
  partner_id: string
  since: Instant
  is_shown: boolean
}

interface NotificationSettingsTable {
  person_id: string
  choices: JSONColumnType<Partial<Record<MailKind, MailTiming>>>
  time_zone: string | null
}

interface LeadChangesTable {
  loid: string
  partner_id: string
  person_id: string
  kind: 'correct' | 'withdraw'
  state: 'waiting' | 'refused'
  corrected: JSONColumnType<Correction, string | null, string | null> | null
  reason: string | null
  problem: string | null
  asked_at: Instant
  sent_at: Instant | null
  lead_before: JSONColumnType<TypedLead, string | null, string | null> | null
}

interface ListViewsTable {
  id: string
  partner_id: string
  person_id: string
  list: ViewedList
  name: string
  query: string
  is_shared: boolean
  created_at: Instant
}

interface DefaultViewsTable {
  person_id: string
  list: ViewedList
  view_id: string
}

interface UnsubscribeTokensTable {
  token_hash: Buffer
  person_id: string
  kinds: MailKind[]
  created_at: Instant
}

interface MailNewsTable {
  id: string
  partner_id: string
  kind: MailKind
  type: string
  loid: string | null
  data: Json
  person_id: string | null
  created_at: Instant
  to_fan_out: ColumnType<boolean, undefined, boolean>
}

interface MailsTable {
  id: string
  partner_id: string
  person_id: string
  is_digest: boolean
  created_at: Instant
  problem: ColumnType<string | null, undefined, string | null>
  given_up_at: ColumnType<Instant | null, undefined, Instant | null>
}

interface MailNewsForPeopleTable {
  person_id: string
  news_id: string
  due_at: Instant
  mail_id: ColumnType<string | null, undefined, string | null>
}

export interface Tables {
  partners: PartnersTable
  partner_invitations: PartnerInvitationsTable
  people: PeopleTable
  partner_contacts: PartnerContactsView
  partner_facts: PartnerFactsTable
  told_facts: ToldFactsTable
  accepted_agreements: AcceptedAgreementsTable
  invitations: InvitationsTable
  sessions: SessionsTable
  known_sources: KnownSourcesTable
  account_tokens: AccountTokensTable
  ended_links: EndedLinksTable
  totp_keys: TotpKeysTable
  recovery_codes: RecoveryCodesTable
  passkeys: PasskeysTable
  passkey_challenges: PasskeyChallengesTable
  email_changes: EmailChangesTable
  security_log: SecurityLogTable
  idempotency_keys: IdempotencyKeysTable
  leads: LeadsTable
  deals: DealsTable
  history_entries: HistoryEntriesTable
  usual_times: UsualTimesTable
  usual_times_due: UsualTimesDueTable
  usual_times_of_everybody: Omit<UsualTimesTable, 'partner_id'>
  record_counts: RecordCountsTable
  notes: NotesTable
  requests: RequestsTable
  documents: DocumentsTable
  document_parts: DocumentPartsTable
  document_looks: DocumentLooksTable
  imports: ImportsTable
  import_rows: ImportRowsTable
  imported_rows: ImportedRowsTable
  events: EventsTable
  seen: SeenTable
  seen_records: SeenRecordsTable
  put_away: PutAwayTable
  attention_done: AttentionDoneTable
  sync_runs: SyncRunsTable
  sweep_cursors: SweepCursorsTable
  crm_field_groups: CrmFieldGroupsTable
  crm_field_names: CrmFieldNamesTable
  chosen_loids: ChosenLoidsTable
  leases: LeasesTable
  crm_tokens: CrmTokensTable
  crm_calls: CrmCallsTable
  crm_partner_credits: CrmPartnerCreditsTable
  hidden_records: HiddenRecordsTable
  crm_callers: CrmCallersTable
  crm_choices: CrmChoicesTable
  api_keys: ApiKeysTable
  named_api_keys: NamedApiKeysTable
  record_changes: RecordChangesTable
  webhook_endpoints: WebhookEndpointsTable
  webhook_logs: WebhookLogsTable
  webhook_attempts: WebhookAttemptsTable
  notification_settings: NotificationSettingsTable
  lead_changes: LeadChangesTable
  list_views: ListViewsTable
  default_views: DefaultViewsTable
  unsubscribe_tokens: UnsubscribeTokensTable
  mail_news: MailNewsTable
  mails: MailsTable
  mail_news_for_people: MailNewsForPeopleTable
}

export type PartnerRow = Selectable<PartnersTable>
export type PartnerInvitationRow = Selectable<PartnerInvitationsTable>
export type EmailChangeRow = Selectable<EmailChangesTable>
export type PersonRow = Selectable<PeopleTable>
export type NewSecurityLogRow = Insertable<SecurityLogTable>
export type NewInvitationRow = Insertable<InvitationsTable>
export type LeadRow = Selectable<LeadsTable>
/**
 * A new row names every column, with null where it has no value, so that the compiler finds forgotten fields. By
 * itself, Kysely allows nullable columns to be left out. `Later` lists the columns that begin empty and are filled in
 * after the submission.
 */
type NewRow<Table, Later extends keyof Insertable<Table>> = Required<Omit<Insertable<Table>, Later>> &
  Pick<Insertable<Table>, Later>

type LaterRecordColumn =
  | 'zoho_id'
  | 'crm_problem'
  | 'crm_sent_at'
  | 'crm_modified_time'
  | 'crm_read_at'
  | 'archived_at'
  | 'archived_reason'
  | 'history_due'
  | 'history_told_until'
  | 'notes_due'
  | 'erased_at'
  | 'search_fold'
  | 'search_keys'

export type NewLeadRow = NewRow<
  LeadsTable,
  | LaterRecordColumn
  | keyof typeof LEAD_VERDICT
  | 'touched_at'
  | 'converted_at'
  | 'awaits_deal_since'
  | 'deal_loid'
  | 'matched_at'
  | 'match_told'
>
export type LeadChangeRow = Selectable<LeadChangesTable>
export type DealRow = Selectable<DealsTable>
export type NewDealRow = NewRow<DealsTable, LaterRecordColumn | keyof typeof DEAL_COMMISSION | 'lead_loid'>
export type NoteRow = Selectable<NotesTable>
export type NewNoteRow = NewRow<NotesTable, 'crm_problem' | 'crm_sent_at' | 'is_from_crm'>
export type RequestRow = Selectable<RequestsTable>
export type DocumentRow = Selectable<DocumentsTable>
export type SyncRunRow = Selectable<SyncRunsTable>
export type WebhookEndpointRow = Selectable<WebhookEndpointsTable>
export type SweptList = SweepCursorsTable['list']

/** The columns of the contract's `Lead`, without `lead_name` and `partner`, which the queries compute. */
export const LEAD_COLUMNS = [
  'id',
  'loid',
  ...keysOf(LEAD_RECORD),
  'submitter_id',
  'submitted_by',
  'awaits_deal_since',
  'crm',
  'created_at',
  'modified_time',
] as const

/** The columns of what partners type, which they can correct (D86). */
export const TYPED_LEAD_COLUMNS = typedColumns(LEAD_RECORD).map(([column]) => column)
export type TypedLead = Pick<LeadRow, (typeof TYPED_LEAD_COLUMNS)[number]>
/** The corrected columns with their new values. */
export type Correction = Partial<TypedLead>

/** The columns of the contract's `Deal`. */
export const DEAL_COLUMNS = [
  'id',
  'loid',
  ...keysOf(DEAL_RECORD),
  'submitter_id',
  'submitted_by',
  'crm',
  'created_at',
  'modified_time',
] as const
