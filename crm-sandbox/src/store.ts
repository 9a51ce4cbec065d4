import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'

export type Row = Record<string, SQLOutputValue>

export type Store = {
  run(sql: string, ...params: SQLInputValue[]): void
  /** Runs a statement with named parameters, such as `:count`. */
  runNamed(sql: string, params: { [name: string]: SQLInputValue }): void
  get(sql: string, ...params: SQLInputValue[]): Row | undefined
  all(sql: string, ...params: SQLInputValue[]): Row[]
  /** Stores everything that `work` writes, or nothing. A nested transaction joins the outer one. */
  transaction<T>(work: () => T): T
  /** An id of nineteen digits. Ids ascend and are never given out twice, not even after a reset. */
  nextId(): string
  /** Reserves `count` ids and returns the number of the first. `idSql` turns a number into an id. */
  takeIds(count: number): number
  readSetting(name: string): unknown
  writeSetting(name: string, value: unknown): void
  close(): void
}

// COLLATE binds tighter than ->>, so the expression needs brackets. A query uses the index only if it writes the
// expression in the same way.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

  CREATE TABLE IF NOT EXISTS records (
    id TEXT PRIMARY KEY,
    module TEXT NOT NULL,
    name TEXT,
    owner TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_time TEXT NOT NULL,
    modified_by TEXT NOT NULL,
    modified_time TEXT NOT NULL,
    converted INTEGER NOT NULL DEFAULT 0,
    data TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS records_by_id ON records (module, id);
  CREATE INDEX IF NOT EXISTS records_by_modified ON records (module, modified_time, id);
  CREATE INDEX IF NOT EXISTS records_by_created ON records (module, created_time, id);
  CREATE INDEX IF NOT EXISTS records_by_loid ON records (module, (data ->> '$.LOID') COLLATE NOCASE);
  CREATE INDEX IF NOT EXISTS records_by_partner ON records (module, (data ->> '$.Partner'), modified_time);
  CREATE INDEX IF NOT EXISTS records_by_partner_id ON records (module, (data ->> '$.Partner'), id);
  CREATE INDEX IF NOT EXISTS records_by_email ON records (module, (data ->> '$.Email') COLLATE NOCASE);
  CREATE INDEX IF NOT EXISTS records_converted ON records (module, id) WHERE converted = 1;
  CREATE INDEX IF NOT EXISTS records_by_parent ON records (module, (data ->> '$.Parent_Id'));

  CREATE TABLE IF NOT EXISTS deleted (
    id TEXT PRIMARY KEY,
    module TEXT NOT NULL,
    display_name TEXT,
    type TEXT NOT NULL,
    deleted_time TEXT NOT NULL,
    deleted_by TEXT NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS deleted_by_time ON deleted (module, deleted_time);

  CREATE TABLE IF NOT EXISTS stage_history (
    id TEXT PRIMARY KEY,
    deal_id TEXT NOT NULL,
    stage TEXT NOT NULL,
    moved_to TEXT,
    entered_time TEXT NOT NULL,
    left_time TEXT,
    amount REAL,
    probability REAL,
    expected_revenue REAL,
    closing_date TEXT,
    modified_by TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS stage_history_by_deal ON stage_history (deal_id, id);

  CREATE TABLE IF NOT EXISTS timeline (
    id TEXT PRIMARY KEY,
    module TEXT NOT NULL,
    record_id TEXT NOT NULL,
    record_name TEXT,
    audited_time TEXT NOT NULL,
    action TEXT NOT NULL,
    source TEXT NOT NULL,
    done_by TEXT NOT NULL,
    field_history TEXT,
    related_record TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS timeline_by_record ON timeline (record_id, audited_time, id);

  CREATE TABLE IF NOT EXISTS attachments (
    id TEXT PRIMARY KEY,
    parent_id TEXT NOT NULL,
    parent_module TEXT NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    link TEXT,
    created_by TEXT NOT NULL,
    created_time TEXT NOT NULL,
    modified_time TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS attachments_by_parent ON attachments (parent_id, created_time, id);

  CREATE TABLE IF NOT EXISTS attachment_contents (id TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;

  CREATE TABLE IF NOT EXISTS access_tokens (
    hash TEXT PRIMARY KEY,
    issued_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE IF NOT EXISTS watches (
    channel_id TEXT NOT NULL,
    module TEXT NOT NULL,
    events TEXT NOT NULL,
    notify_url TEXT NOT NULL,
    token TEXT,
    expiry TEXT NOT NULL,
    return_values INTEGER NOT NULL,
    on_related INTEGER NOT NULL,
    condition TEXT,
    PRIMARY KEY (channel_id, module)
  ) STRICT;

  CREATE TABLE IF NOT EXISTS notices (
    seq INTEGER PRIMARY KEY,
    channel_id TEXT NOT NULL,
    module TEXT NOT NULL,
    operation TEXT NOT NULL,
    record_id TEXT NOT NULL,
    notify_url TEXT NOT NULL,
    token TEXT,
    changed_values TEXT,
    return_values INTEGER NOT NULL,
    due_ms INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX IF NOT EXISTS notices_by_due ON notices (due_ms, seq);
`

/*
 * SQLite chooses its indexes by these figures: the number of rows in the table, then the number of rows for one value
 * of the index's first column, of its first two columns, and so on. They are fixed instead of measured, so that a query
 * uses the same index in a small organisation as in an organisation with a million leads.
 */
const STATISTICS = `
  ANALYZE settings;
  DELETE FROM sqlite_stat1;
  INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('records', 'records_by_id', '1000000 200000 1'),
    ('records', 'records_by_modified', '1000000 200000 5 1'),
    ('records', 'records_by_created', '1000000 200000 5 1'),
    ('records', 'records_by_loid', '1000000 200000 1'),
    ('records', 'records_by_partner', '1000000 200000 2000 2'),
    ('records', 'records_by_partner_id', '1000000 200000 2000 1'),
    ('records', 'records_by_email', '1000000 200000 2'),
    ('records', 'records_converted', '50000 50000 1'),
    ('records', 'records_by_parent', '1000000 200000 3');
  ANALYZE sqlite_schema;
`

const STATEMENTS_KEPT_MAX = 300
const FIRST_ID = 800_001
const ID_PREFIX = '54000000000'
const IDS_RESERVED_AT_ONCE = 1_000

/** Opens the state folder. A commit is on disk before its call returns, so kill -9 loses no answered write. */
export function openStore(dir: string): Store {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const file = join(dir, 'crm.sqlite')
  // SQLite gives the files beside it the same mode.
  closeSync(openSync(file, 'a'))
  chmodSync(file, 0o600)
  const db = new DatabaseSync(file)
  db.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec(SCHEMA)
  db.exec(STATISTICS)

  const statements = new Map<string, StatementSync>()
  let depth = 0
  // Numbers are reserved in blocks. A restart skips the rest of a block. After a rollback, the next number begins
  // another block, because the reservation may have been rolled back too.
  const sequence = readSetting('sequence')
  let lastId = typeof sequence === 'number' ? sequence : FIRST_ID - 1
  let lastIdReserved = lastId

  function prepare(sql: string): StatementSync {
    const known = statements.get(sql)
    if (known) return known
    // Almost every COQL query makes a new statement. Clearing all statements is cheaper than tracking which were used
    // last.
    if (statements.size >= STATEMENTS_KEPT_MAX) statements.clear()
    const statement = db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  function transaction<T>(work: () => T): T {
    if (depth > 0) return work()
    db.exec('BEGIN IMMEDIATE')
    depth = 1
    try {
      const result = work()
      db.exec('COMMIT')
      return result
    } catch (error) {
      db.exec('ROLLBACK')
      lastIdReserved = lastId
      throw error
    } finally {
      depth = 0
    }
  }

  function readSetting(name: string): unknown {
    const row = prepare('SELECT value FROM settings WHERE name = ?').get(name)
    return row ? JSON.parse(text(row['value'])) : undefined
  }

  function writeSetting(name: string, value: unknown) {
    prepare(
      'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    ).run(name, JSON.stringify(value))
  }

  function nextId(): string {
    if (lastId === lastIdReserved) {
      lastIdReserved = lastId + IDS_RESERVED_AT_ONCE
      writeSetting('sequence', lastIdReserved)
    }
    lastId++
    return `${ID_PREFIX}${String(lastId).padStart(8, '0')}`
  }

  function takeIds(count: number): number {
    const first = lastId + 1
    lastId += count
    lastIdReserved = lastId
    writeSetting('sequence', lastIdReserved)
    return first
  }

  return {
    run: (sql, ...params) => {
      prepare(sql).run(...params)
    },
    runNamed: (sql, params) => {
      prepare(sql).run(params)
    },
    get: (sql, ...params) => prepare(sql).get(...params),
    all: (sql, ...params) => prepare(sql).all(...params),
    transaction,
    nextId,
    takeIds,
    readSetting,
    writeSetting,
    close: () => db.close(),
  }
}

/** Returns SQL that turns a number into an id. `number` is itself SQL. */
export function idSql(number: string): string {
  return `'${ID_PREFIX}' || printf('%08d', ${number})`
}

/** Returns the value of a column that always holds text. */
export function text(value: SQLOutputValue | undefined): string {
  if (typeof value !== 'string') throw new TypeError(`expected text in the store, found ${typeof value}`)
  return value
}

export function textOrNull(value: SQLOutputValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}

export function number(value: SQLOutputValue | undefined): number {
  if (typeof value !== 'number') throw new TypeError(`expected a number in the store, found ${typeof value}`)
  return value
}

export function numberOrNull(value: SQLOutputValue | undefined): number | null {
  return typeof value === 'number' ? value : null
}
