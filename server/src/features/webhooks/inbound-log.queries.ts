import type { Db } from '../../platform/db/database.ts'
import { newId } from '../../platform/db/ids.ts'

interface InboundCall {
  partner_id: string
  /** The path that was called. */
  endpoint: string
  /** The key's name; null for a call with a session. */
  api_key: string | null
  status: 'success' | 'failed'
  response_status: number
  loid: string | null
  error_message: string | null
  request_body: string | null
  response_body: string | null
}

/** Writes a log row for a call that a partner's system made to the portal (D37). */
export async function insertInboundCall(db: Db, call: InboundCall, at: Date): Promise<void> {
  await db
    .insertInto('webhook_logs')
    .values({ ...call, id: newId(at), direction: 'inbound', created_at: at.toISOString() })
    .execute()
}
