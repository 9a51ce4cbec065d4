import type { ColumnType, GeneratedAlways, Insertable, JSONColumnType, Selectable } from 'kysely'

/** Instants are ISO 8601 text in UTC on both sides (D7); `openDatabase` makes the driver read them so. */
type Instant = string

type CrmState = 'pending' | 'synced' | 'failed'
type Json = JSONColumnType<object, object | string, object | string>

interface PartnersTable {
  id: string
  email: string
  business_name: string
  first_name: string | null
  last_name: string | null
  phone: string | null
  password_hash: string
  is_active: ColumnType<boolean, boolean | undefined, boolean>
  email_verified: ColumnType<boolean, boolean | undefined, boolean>
  zoho_id: string | null
  /** Held: the CRM has a record of this name and email, and the address is not confirmed (D52). */
  crm: ColumnType<CrmState | 'held', CrmState | undefined, CrmState | 'held'>
  crm_problem: string | null
  created_at: Instant
  modified_time: Instant
  closed_at: ColumnType<Instant | null, undefined, Instant>
  crm_record_sent_at: ColumnType<Instant | null, undefined, Instant | null>
}

interface KnownSourcesTable {
  partner_id: string
  source_hash: Buffer
  seen_at: Instant
}

interface SessionsTable {
  token_hash: Buffer
  partner_id: string
  family_id: string
  successor_seed: ColumnType<Buffer | null, undefined, Buffer>
  signed_in_at: Instant
  expires_at: Instant
}

interface AccountTokensTable {
  token_hash: Buffer
  partner_id: string
  purpose: 'reset-password' | 'verify-email'
  expires_at: Instant
}

interface IdempotencyKeysTable {
  scope: string
  key_hash: Buffer
  request_hash: Buffer
  answer: JSONColumnType<object> | null
  created_at: Instant
}

interface LeadsTable {
  id: string
  partner_id: string
  loid: string
  business_name: string | null
  first_name: string | null
  last_name: string | null
  email: string | null
  phone: string | null
  state: string | null
  loan_amount: number | null
  loan_type: string | null
  loan_purpose: string | null
  loan_term: string | null
  sales_monthly: number | null
  lead_status: string
  lead_source: string | null
  brand: string | null
  description: string | null
  permit_link: string | null
  business_industry: string | null
  time_in_business: string | null
  business_abn: string | null
  partner_iso: string | null
  owns_property: ColumnType<boolean, boolean | undefined, boolean>
  property_value: number | null
  property_debt: number | null
  consent_version: string | null
  consent_at: Instant | null
  created_at: Instant
  modified_time: Instant
  zoho_id: string | null
  crm: CrmState
  crm_problem: string | null
  crm_sent_at: ColumnType<Instant | null, undefined, Instant | null>
  crm_modified_time: Instant | null
  converted_at: Instant | null
  /** The deal that the lead became (its own LOID, D17), or that it turned out to match (D29). */
  deal_loid: string | null
  archived_at: Instant | null
  archived_reason: 'left-crm' | 'matches-deal' | null
  history_due: ColumnType<boolean, boolean | undefined, boolean>
  notes_due: ColumnType<boolean, boolean | undefined, boolean>
  search_text: GeneratedAlways<string>
}

interface DealsTable {
  id: string
  partner_id: string
  loid: string
  deal_name: string | null
  business_name: string | null
  contact_name: string | null
  email: string | null
  phone: string | null
  amount: number | null
  loan_type: string | null
  loan_purpose: string | null
  loan_term: string | null
  stage: string
  lead_source: string | null
  /** YYYY-MM-DD */
  closing_date: string | null
  probability: number | null
  description: string | null
  partner_iso: string | null
  created_at: Instant
  modified_time: Instant
  zoho_id: string | null
  crm: CrmState
  crm_problem: string | null
  crm_sent_at: ColumnType<Instant | null, undefined, Instant | null>
  crm_modified_time: Instant | null
  archived_at: Instant | null
  archived_reason: 'left-crm' | null
  history_due: ColumnType<boolean, boolean | undefined, boolean>
  notes_due: ColumnType<boolean, boolean | undefined, boolean>
  search_text: GeneratedAlways<string>
}

export type HistoryKind = 'lead-status' | 'deal-stage'

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

/** Written by the triggers of leads and deals alone. */
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
  created_at: Instant
  zoho_id: string | null
  crm: CrmState
  crm_problem: string | null
  /** Written by the lender's staff. */
  is_from_crm: ColumnType<boolean, boolean | undefined, boolean>
}

interface EventsTable {
  id: string
  partner_id: string
  type: string
  loid: string | null
  data: Json
  created_at: Instant
  to_deliver: ColumnType<boolean, boolean | undefined, boolean>
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
  list: 'leads' | 'deals' | 'deleted-leads' | 'deleted-deals' | 'notes'
  position: Instant
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
}

interface WebhookLogsTable {
  id: string
  partner_id: string
  direction: 'inbound' | 'outbound'
  status: 'success' | 'failed' | 'error' | 'pending'
  endpoint: string
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

export interface Tables {
  partners: PartnersTable
  sessions: SessionsTable
  known_sources: KnownSourcesTable
  account_tokens: AccountTokensTable
  idempotency_keys: IdempotencyKeysTable
  leads: LeadsTable
  deals: DealsTable
  history_entries: HistoryEntriesTable
  record_counts: RecordCountsTable
  notes: NotesTable
  events: EventsTable
  sync_runs: SyncRunsTable
  sweep_cursors: SweepCursorsTable
  chosen_loids: ChosenLoidsTable
  leases: LeasesTable
  crm_tokens: CrmTokensTable
  crm_calls: CrmCallsTable
  crm_callers: CrmCallersTable
  crm_choices: CrmChoicesTable
  api_keys: ApiKeysTable
  webhook_endpoints: WebhookEndpointsTable
  webhook_logs: WebhookLogsTable
  webhook_attempts: WebhookAttemptsTable
}

export type PartnerRow = Selectable<PartnersTable>
export type LeadRow = Selectable<LeadsTable>
export type NewLeadRow = Insertable<LeadsTable>
export type DealRow = Selectable<DealsTable>
export type NewDealRow = Insertable<DealsTable>
export type NoteRow = Selectable<NotesTable>
export type NewNoteRow = Insertable<NotesTable>
export type SyncRunRow = Selectable<SyncRunsTable>
export type WebhookEndpointRow = Selectable<WebhookEndpointsTable>
export type SweptList = SweepCursorsTable['list']

/** What the contract's `Lead` shows, without the two names that are put together from others. */
export const LEAD_COLUMNS = [
  'id',
  'loid',
  'business_name',
  'first_name',
  'last_name',
  'email',
  'phone',
  'state',
  'loan_amount',
  'loan_type',
  'loan_purpose',
  'loan_term',
  'sales_monthly',
  'lead_status',
  'lead_source',
  'brand',
  'description',
  'permit_link',
  'business_industry',
  'time_in_business',
  'business_abn',
  'partner_iso',
  'owns_property',
  'property_value',
  'property_debt',
  'crm',
  'created_at',
  'modified_time',
] as const

/** What the contract's `Deal` shows. */
export const DEAL_COLUMNS = [
  'id',
  'loid',
  'deal_name',
  'business_name',
  'contact_name',
  'email',
  'phone',
  'amount',
  'loan_type',
  'loan_purpose',
  'loan_term',
  'stage',
  'lead_source',
  'closing_date',
  'probability',
  'description',
  'partner_iso',
  'crm',
  'created_at',
  'modified_time',
] as const
