/** The limits that server and web app share. Most are from section 9 of the specification and from D45. */
export const API_TIMEOUT_MS = 30_000
export const PAGE_SIZE = 20
export const PAGE_SIZE_MAX = 100
/** The total of a list is exact up to this number (D80). */
export const LIST_TOTAL_MAX = 10_000
export const RECENT_SIZE = 5
export const SEARCH_RESULTS_MAX = 50
/** The total of a search is exact up to this number. */
export const SEARCH_TOTAL_MAX = 1_000

export const PASSWORD_LENGTH_MIN = 8
export const PASSWORD_LENGTH_MAX = 128
export const TOKEN_LENGTH_MAX = 200
/** The longest text that is accepted as a code from an authenticator app or as a recovery code. */
export const CODE_LENGTH_MAX = 40
export const PASSKEY_NAME_LENGTH_MAX = 60
export const PASSKEYS_MAX = 20
export const API_KEY_NAME_LENGTH_MAX = 60
export const NAMED_KEYS_MAX = 20
/** How many records one call of the read side returns. */
export const CHANGES_SIZE = 100
export const CHANGES_MAX = 500
export const CURSOR_LENGTH_MAX = 500
export const NAME_LENGTH_MAX = 100
export const EMAIL_LENGTH_MAX = 254
export const BUSINESS_NAME_LENGTH_MAX = 200
export const CHOICE_LENGTH_MAX = 120
/** The longest value of a filter by person: a person's id, or a word such as `me`. */
export const PERSON_LENGTH_MAX = 64
export const VIEW_NAME_LENGTH_MAX = 60
/** An address with every filter set, and each of its letters escaped. */
export const VIEW_QUERY_LENGTH_MAX = 12_000
/** One person keeps at most this many views of all lists together. */
export const VIEWS_MAX = 50
export const LOAN_PURPOSE_LENGTH_MAX = 500
export const ADDITIONAL_INFO_LENGTH_MAX = 5_000
export const WITHDRAWAL_REASON_LENGTH_MAX = 500
export const PHONE_LENGTH_MAX = 30
export const BUSINESS_NUMBER_LENGTH_MAX = 30
export const SEARCH_LENGTH_MAX = 200
export const NOTE_LENGTH_MIN = 5
export const NOTE_LENGTH_MAX = 1_000
export const URL_LENGTH_MAX = 2_048
export const BODY_BYTES_MAX = 64 * 1024
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255
export const API_CALLS_PER_MINUTE = 120
/** The largest file of leads that can be imported, and how many rows it has at most (D83). */
export const IMPORT_BYTES_MAX = 10 * 1024 * 1024
export const IMPORT_ROWS_MAX = 5_000
export const IMPORT_COLUMNS_MAX = 100
/** How many rows of imports a partner submits in 24 hours (D122). */
export const IMPORT_ROWS_A_DAY = 10_000
export const FILE_NAME_LENGTH_MAX = 200
/** For how many days an import's rows are remembered, so that they are not submitted again (D83). */
export const IMPORT_MEMORY_DAYS = 90
/** An import's rows hold applicants' data, so they are removed this many days after its last change. */
export const IMPORT_ROWS_KEPT_DAYS = 7
/** How long after its end an import can be undone. */
export const IMPORT_UNDO_HOURS = 24
/** How many records of a partner wait for a verified address (D122) or for the lender's word (D116). */
export const WAITING_RECORDS_MAX = 10

export const LARGE_LOAN_AMOUNT = 10_000_000
export const MONEY_MAX = 999_999_999_999.99
export const MONEY_TEXT_LENGTH_MAX = 40
/**
 * One answer holds at most this many notes or history entries of a record, the newest first. Older ones are left out.
 */
export const NOTES_MAX = 1_000
export const HISTORY_ENTRIES_MAX = 1_000
export const TIMELINE_PAGE_SIZE = 50
export const DUPLICATE_WINDOW_DAYS = 90

/** One answer of the inbox holds at most this many lines, items or entries. */
export const NEWS_LINES_MAX = 50
export const ATTENTION_MAX = 50
/** The total of the items that need attention is exact up to this number for each kind. */
export const ATTENTION_TOTAL_MAX = 200
export const ACTIVITY_SIZE = 30
/** At most this many events are counted for the news. */
export const NEWS_EVENTS_MAX = 5_000
