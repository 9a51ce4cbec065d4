import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { mailLink } from '../../format/contact-links.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DescriptionList, textLinkClass } from '../../ui/description-list.tsx'
import { CodeSamples } from './code-samples.tsx'
import { EndpointReference, endpointId } from './endpoint-reference.tsx'
import { Marked } from './marked.tsx'
import { NamedTexts } from './named-texts.tsx'
import type { ReadableDocs } from './partner-api.queries.ts'
import { fieldTables, RequestFields } from './request-fields.tsx'
import { SessionToken } from './session-token.tsx'
import { TableOfContents } from './table-of-contents.tsx'
import { WebhookReference } from './webhook-reference.tsx'

interface Part {
  id: string
  title: string
  /** The entries below this part in the table of contents. */
  items?: { id: string; title: string }[]
  content: ReactNode
}

/** All parts of the documentation. On a wide screen the table of contents is beside them. */
export function ApiReference({ docs }: { docs: ReadableDocs }) {
  const parts = partsOf(docs)
  useEffect(() => {
    // The address may name a part that was not drawn yet when the page opened.
    if (window.location.hash) document.getElementById(window.location.hash.slice(1))?.scrollIntoView()
  }, [])
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-10 xl:grid-cols-[minmax(0,1fr)_13rem]">
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-10">
        {parts.map(({ id, title, content }) => (
          <section
            key={id}
            id={id}
            aria-labelledby={`${id}-title`}
            className="border-t border-line pt-8 max-xl:nth-[n+3]:later-[40rem] first:border-0 first:pt-0"
          >
            <h2 id={`${id}-title`} className="mb-4 text-lg font-semibold">
              {title}
            </h2>
            {content}
          </section>
        ))}
      </div>
      <TableOfContents parts={parts} />
    </div>
  )
}

/** `before` tells the examples and buttons of one set from those of another. */
function inEachLanguage({ curl, javascript, python }: ReadableDocs['examples'], before = '') {
  return [
    { label: 'cURL', name: `${before}cURL`, language: 'bash' as const, code: curl.trimEnd() },
    { label: 'JavaScript', name: `${before}JavaScript`, language: 'javascript' as const, code: javascript.trimEnd() },
    { label: 'Python', name: `${before}Python`, language: 'python' as const, code: python.trimEnd() },
  ]
}

function partsOf(docs: ReadableDocs): Part[] {
  const { authentication, endpoints, examples, readExamples, errorCodes, rateLimits, webhooks, support } = docs
  const tables = fieldTables(endpoints)
  return [
    { id: 'overview', title: docs.title ?? 'Overview', content: <Overview docs={docs} /> },
    {
      id: 'authentication',
      title: 'Authentication',
      content: (
        <div className="grid gap-5">
          <Paragraph text={authentication.note} />
          <DescriptionList
            className="frame p-5"
            items={[
              { term: 'Type', value: authentication.type },
              { term: 'Lifetime', value: authentication.tokenLifetime },
              {
                term: 'Header',
                value: <code className="font-mono text-[0.8125rem]">{authentication.header}</code>,
                wide: true,
              },
            ]}
          />
          <SessionToken />
        </div>
      ),
    },
    {
      id: 'examples',
      title: 'Code examples',
      // The examples end without a line break. With a line break, a pasted command would run before anybody read it.
      content: <CodeSamples label="Code examples" samples={inEachLanguage(examples)} />,
    },
    ...(readExamples
      ? [
          {
            id: 'follow-changes',
            title: 'Follow changes',
            content: (
              <CodeSamples label="Examples that follow changes" samples={inEachLanguage(readExamples, 'Changes in ')} />
            ),
          },
        ]
      : []),
    {
      id: 'endpoints',
      title: 'Endpoints',
      items: endpoints.map((endpoint) => ({
        id: endpointId(endpoint),
        title: `${endpoint.method} ${endpoint.path}`,
      })),
      content: (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
          {endpoints.map((endpoint) => (
            <EndpointReference
              key={endpointId(endpoint)}
              endpoint={endpoint}
              fieldsId={tables.find((table) => table.endpoints.includes(endpoint))?.id}
            />
          ))}
        </div>
      ),
    },
    ...(tables.length > 0
      ? [
          {
            id: 'fields',
            title: 'Request fields',
            items: tables.map(({ id, title }) => ({ id, title })),
            content: (
              <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
                {tables.map((table) => (
                  <RequestFields key={table.id} table={table} />
                ))}
              </div>
            ),
          },
        ]
      : []),
    ...(webhooks ? [{ id: 'webhooks', title: 'Webhooks', content: <WebhookReference webhooks={webhooks} /> }] : []),
    ...(errorCodes
      ? [
          {
            id: 'errors',
            title: 'Error codes',
            content: <NamedTexts label="Error codes" nameHeader="Code" items={Object.entries(errorCodes)} />,
          },
        ]
      : []),
    ...(rateLimits
      ? [{ id: 'rate-limits', title: 'Rate limits', content: <RateLimits rateLimits={rateLimits} /> }]
      : []),
    ...(support ? [{ id: 'support', title: 'Support', content: <Support support={support} /> }] : []),
  ]
}

function Overview({ docs: { version, baseUrl, description } }: { docs: ReadableDocs }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {description && <Paragraph text={description} />}
      <div className="frame flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-5 py-4">
        <div className="min-w-0">
          <h3 className="text-[0.8125rem] text-muted">Base URL</h3>
          <p className="mt-0.5 font-mono text-[0.8125rem] break-all">{baseUrl ?? '—'}</p>
        </div>
        <div className="flex flex-wrap items-center gap-3">
          {version && <Badge variant="primary">Version {version}</Badge>}
          {baseUrl && <CopyButton text={baseUrl} label="Copy base URL" shortLabel="Copy" />}
        </div>
      </div>
    </div>
  )
}

function RateLimits({ rateLimits }: { rateLimits: NonNullable<ReadableDocs['rateLimits']> }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Paragraph text={rateLimits.description} />
      <NamedTexts
        label="Limits"
        nameHeader="What"
        textHeader="Limit"
        items={rateLimits.limits.map(({ name, limit }) => [name, limit])}
        plain
      />
      <NamedTexts
        label="Headers of an answer"
        nameHeader="Header"
        items={rateLimits.headers.map(({ name, description }) => [name, description])}
      />
    </div>
  )
}

function Support({ support: { email, documentation, portal } }: { support: NonNullable<ReadableDocs['support']> }) {
  return (
    <DescriptionList
      className="frame p-5"
      items={[
        {
          term: 'Email',
          value: (
            <a href={mailLink(email)} className={textLinkClass}>
              {email}
            </a>
          ),
        },
        { term: 'Documentation', value: <Address text={documentation} /> },
        { term: 'Portal', value: <Address text={portal} /> },
      ]}
    />
  )
}

function Paragraph({ text }: { text: string }) {
  return (
    <p className="max-w-prose">
      <Marked text={text} />
    </p>
  )
}

function Address({ text }: { text: string }) {
  if (!/^https?:\/\//.test(text)) return <>{text}</>
  return (
    <a href={text} className={`${textLinkClass} break-all`}>
      {text}
    </a>
  )
}
