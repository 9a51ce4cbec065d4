import { curlCommand } from '../../format/curl.ts'
import { Section } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'

const LEAD = { business_name: 'Saltbush Transport', phone: '+61 491 570 156', loan_amount: 250000 }

/** An example with the base URL that the server names, because the page may be open at another address. */
export function UsageExample({ baseUrl }: { baseUrl: string }) {
  const command = curlCommand({
    url: `${baseUrl}/partner/leads`,
    headers: ['Authorization: Bearer <YOUR_API_KEY>', 'Content-Type: application/json'],
    body: JSON.stringify(LEAD, null, 2),
  })
  return (
    <Section title="Usage example" description="Submits a lead. Put your key in place of <YOUR_API_KEY>.">
      <CodeBlock title="cURL example" code={command} language="bash" />
    </Section>
  )
}
