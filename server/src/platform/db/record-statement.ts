import type { LogEvent } from 'kysely'
import { currentTrace, inSpan } from '../trace.ts'

const ABOUT = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const

/** Sends a statement, and records it as a span of the current trace if traces are recorded. */
export function recordingStatement<Result>(text: string, send: () => Promise<Result>): Promise<Result> {
  if (!currentTrace()?.spans) return send()
  return inSpan({ name: nameOfStatement(text), ...ABOUT }, send)
}

/** Records a statement that Kysely has already sent, as a span of the current trace. */
export function recordStatement(event: LogEvent): void {
  const trace = currentTrace()
  if (!trace?.spans) return
  const startedAtMs = Date.now() - event.queryDurationMillis
  const span = trace.spans.begin(trace, { name: nameOfStatement(event.query.sql), ...ABOUT, startedAtMs })
  if (event.level === 'error') span.failed(event.error)
  span.end()
}

/** The statement's first verb and table, such as `update leads`, without any values. */
function nameOfStatement(text: string): string {
  const [verb = 'statement'] = /\w+/.exec(text.replace(/^\s*with\s[^(]*/i, '')) ?? []
  const [, table] = /\b(?:from|into|update|join)\s+((?:"?[a-z_]+"?\.)?"?[a-z_]+)/i.exec(text) ?? []
  return [verb.toLowerCase(), table?.replaceAll('"', '')].filter(Boolean).join(' ')
}
