import { type ReactNode, useState } from 'react'
import { CodeBlock } from '../../ui/code-block.tsx'
import { SelectField } from '../../ui/field.tsx'
import { CodeSamples } from './code-samples.tsx'
import { Marked } from './marked.tsx'
import { NamedTexts } from './named-texts.tsx'
import type { ReadableDocs } from './partner-api.queries.ts'

type Webhooks = NonNullable<ReadableDocs['webhooks']>

export function WebhookReference({ webhooks }: { webhooks: Webhooks }) {
  const { description, events, headers, verification } = webhooks
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <p className="max-w-prose">
        <Marked text={description} />
      </p>
      <Titled title="Events">
        <NamedTexts
          label="Events"
          nameHeader="Type"
          textHeader="Sent when"
          items={events.map((event) => [event.type, event.description])}
        />
        <EventExample events={events} />
      </Titled>
      <Titled title="Headers of a delivery">
        <NamedTexts
          label="Headers of a delivery"
          nameHeader="Header"
          items={headers.map((header) => [header.name, header.description])}
        />
      </Titled>
      <Titled title="Verifying the signature">
        <CodeSamples
          label="Signature verification"
          samples={[
            {
              label: 'JavaScript',
              name: 'JavaScript',
              language: 'javascript',
              code: verification.javascript.trimEnd(),
            },
            { label: 'Python', name: 'Python', language: 'python', code: verification.python.trimEnd() },
          ]}
        />
      </Titled>
    </div>
  )
}

function Titled({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </div>
  )
}

function EventExample({ events }: { events: Webhooks['events'] }) {
  const [type, setType] = useState(events[0]?.type ?? '')
  const event = events.find((candidate) => candidate.type === type)
  if (!event) return null
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <SelectField
        label="Example of"
        fieldClassName="sm:max-w-72"
        options={events.map((candidate) => candidate.type)}
        value={type}
        onChange={(change) => setType(change.target.value)}
      />
      <CodeBlock title={`${type} body`} code={JSON.stringify(event.example, null, 2)} language="json" />
    </div>
  )
}
