import type { ApiEndpoint, ApiField } from '@portal/contract/partner-api.ts'
import { Marked } from './marked.tsx'

/** The fields of a body, in one table for all endpoints that take this body. */
export interface FieldTable {
  id: string
  title: string
  endpoints: readonly ApiEndpoint[]
  fields: readonly ApiField[]
}

export function fieldTables(endpoints: readonly ApiEndpoint[]): FieldTable[] {
  const withBody = endpoints.filter(({ requestBody }) => requestBody !== null)
  const byFields = Map.groupBy(withBody, ({ requestBody }) => JSON.stringify(requestBody?.fields))
  return [...byFields.values()].map((alike, position) => ({
    id: `fields-${position + 1}`,
    title: alike.map(({ method, path }) => `${method} ${path}`).join(', '),
    endpoints: alike,
    fields: alike[0]?.requestBody?.fields ?? [],
  }))
}

export function RequestFields({ table: { id, title, fields } }: { table: FieldTable }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="frame">
      <h3
        id={`${id}-title`}
        className="border-b border-line px-5 py-3.5 font-mono text-[0.8125rem] font-medium break-words"
      >
        {title}
      </h3>
      <ul className="divide-y divide-line px-5">
        {fields.map(({ name, required, type, description }) => (
          <li key={name} className="py-2.5">
            <p className="flex flex-wrap items-baseline gap-x-2.5 gap-y-1">
              <code className="font-mono text-[0.8125rem] font-medium break-all">{name}</code>
              <span className="font-mono text-xs text-muted">{type}</span>
              {required && <span className="text-xs font-medium text-error-ink">required</span>}
            </p>
            <p className="mt-0.5 text-[0.8125rem] text-muted">
              <Marked text={description} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
