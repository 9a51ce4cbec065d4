import { Tabs } from '@base-ui/react/tabs'
import { useState } from 'react'
import { Code } from './code-block.tsx'
import type { CodeLanguage } from './code-tokens.ts'
import { CopyButton } from './copy-button.tsx'

export interface CodeSample {
  label: string
  language: CodeLanguage
  code: string
}

/** The same example in several languages, with one shown at a time. */
export function CodeTabs({ label, samples }: { label: string; samples: readonly CodeSample[] }) {
  const [chosen, setChosen] = useState(samples[0]?.label)
  const shown = samples.find((sample) => sample.label === chosen)
  return (
    <Tabs.Root value={chosen} onValueChange={setChosen} className="code-frame">
      <div className="flex min-h-10 items-center justify-between gap-3 border-b border-line pr-1 pl-2">
        <Tabs.List aria-label={label} className="flex min-w-0 gap-1 self-stretch overflow-x-auto">
          {samples.map((sample) => (
            <Tabs.Tab
              key={sample.label}
              value={sample.label}
              className="-mb-px flex min-h-10 items-center border-b-2 border-transparent px-2 text-xs font-medium whitespace-nowrap text-muted -outline-offset-2 hover:text-ink data-active:border-brand data-active:text-ink"
            >
              {sample.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {shown && (
          <CopyButton
            key={shown.label}
            text={shown.code}
            label={`Copy ${shown.label} example`}
            shortLabel="Copy"
            variant="ghost"
          />
        )}
      </div>
      {samples.map((sample) => (
        <Tabs.Panel key={sample.label} value={sample.label} tabIndex={-1}>
          <Code label={`${sample.label} example`} code={sample.code} language={sample.language} />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  )
}
