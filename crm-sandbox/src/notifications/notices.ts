import type { CrmRecord } from '../records/records-table.ts'
import type { Sandbox } from '../sandbox-context.ts'
import { text, textOrNull } from '../store.ts'
import { storedInstant } from '../wire/times.ts'

export type Operation = 'create' | 'edit' | 'delete'

/** Queues a notification for every channel that watches this kind of change. Call it in the change's transaction. */
export function queueNotices(
  sandbox: Sandbox,
  record: CrmRecord,
  operation: Operation,
  changed: { [field: string]: unknown },
) {
  const { store } = sandbox
  const watches = store.all(
    'SELECT * FROM watches WHERE module = ? AND expiry > ?',
    record.module,
    storedInstant(sandbox.now()),
  )
  for (const watch of watches) {
    const events: unknown = JSON.parse(text(watch['events']))
    const names = [`${record.module}.${operation}`, `${record.module}.all`]
    if (!Array.isArray(events) || !names.some((name) => events.includes(name))) continue
    if (operation === 'edit' && !concerns(textOrNull(watch['condition']), changed)) continue
    store.run(
      `INSERT INTO notices
         (channel_id, module, operation, record_id, notify_url, token, changed_values, return_values, due_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      text(watch['channel_id']),
      record.module,
      operation,
      record.id,
      text(watch['notify_url']),
      textOrNull(watch['token']),
      operation === 'edit' ? JSON.stringify(changed) : null,
      watch['return_values'] ?? 0,
      Date.now(),
    )
    sandbox.notify()
  }
}

/** Whether the channel watches one of the changed fields. The condition lists field names; null means all fields. */
function concerns(condition: string | null, changed: { [field: string]: unknown }): boolean {
  if (condition === null) return true
  const fields: unknown = JSON.parse(condition)
  return Array.isArray(fields) && fields.some((field) => typeof field === 'string' && Object.hasOwn(changed, field))
}
