import type { ApiEndpoint, ApiField } from '@portal/contract/partner-api.ts'
import { Badge, type BadgeVariant } from '../../ui/badge.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Marked } from './marked.tsx'

const METHOD_COLOURS: Record<string, BadgeVariant> = {
  GET: 'primary',
  POST: 'success',
  PUT: 'warning',
  DELETE: 'error',
}

/** One call: what it does and takes at the left, how it looks at the right. */
export function EndpointReference({ endpoint }: { endpoint: ApiEndpoint }) {
  const { method, path, description, requestBody, responseExample } = endpoint
  return (
    <article className="panel @container max-xl:later-[60rem]">
      <header className="flex flex-wrap items-center gap-3 border-b border-line px-5 py-3.5">
        <Badge variant={METHOD_COLOURS[method] ?? 'secondary'} className="font-mono font-semibold">
          {method}
        </Badge>
        <h3 className="min-w-0 font-mono text-[0.8125rem] font-medium break-all">{path}</h3>
      </header>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 p-5 @3xl:grid-cols-2">
        <div className="min-w-0">
          <p className="max-w-prose">
            <Marked text={description} />
          </p>
          {requestBody && <RequestFields fields={requestBody.fields} />}
        </div>
        {/* Stays in sight beside a long list of fields. */}
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4 self-start @3xl:sticky @3xl:top-20">
          {requestBody?.example !== undefined && (
            <CodeBlock title="Request example" code={JSON.stringify(requestBody.example, null, 2)} language="json" />
          )}
          {responseExample !== undefined && (
            <CodeBlock title="Response example" code={JSON.stringify(responseExample, null, 2)} language="json" />
          )}
        </div>
      </div>
    </article>
  )
}

function RequestFields({ fields }: { fields: readonly ApiField[] }) {
  return (
    <>
      <h4 className="mt-5 mb-1 text-[0.8125rem] font-medium text-muted">Request fields</h4>
      <ul className="divide-y divide-line">
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
    </>
  )
}
