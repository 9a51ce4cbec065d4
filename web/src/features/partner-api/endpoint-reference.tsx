import type { ApiEndpoint } from '@portal/contract/partner-api.ts'
import { Badge, type BadgeVariant } from '../../ui/badge.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { textLinkClass } from '../../ui/description-list.tsx'
import { Marked } from './marked.tsx'

const METHOD_COLOURS: Record<string, BadgeVariant> = {
  GET: 'primary',
  POST: 'success',
  PUT: 'warning',
  DELETE: 'error',
}

/** The anchor that the table of contents links to, for example `endpoint-post-partner-leads`. */
export function endpointId({ method, path }: ApiEndpoint): string {
  return ['endpoint', method, ...(path.match(/\w+/g) ?? [])].join('-').toLowerCase()
}

interface EndpointReferenceProps {
  endpoint: ApiEndpoint
  /** The anchor of the table with the body's fields. Undefined if the endpoint takes no body. */
  fieldsId: string | undefined
}

/** One endpoint: its description, and its examples beside it or, on a narrow page, below it. */
export function EndpointReference({ endpoint, fieldsId }: EndpointReferenceProps) {
  const { method, path, description, requestBody, responseExample } = endpoint
  return (
    <article id={endpointId(endpoint)} className="frame @container max-xl:later-[40rem]">
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
          {fieldsId !== undefined && (
            <p className="mt-3">
              <a href={`#${fieldsId}`} className={textLinkClass}>
                Request fields of {method} {path}
              </a>
            </p>
          )}
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
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
