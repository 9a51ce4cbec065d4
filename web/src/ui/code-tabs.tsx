import { useId, useState } from 'react'
import { Code } from './code-block.tsx'
import type { CodeLanguage } from './code-tokens.ts'
import { CopyButton } from './copy-button.tsx'
import { panelProps, TabList } from './tab-list.tsx'

export interface CodeSample {
  label: string
  /** Tells this sample from others in the same language, for screen readers. */
  name: string
  language: CodeLanguage
  code: string
}

/** The same example in several languages, with one shown at a time. */
export function CodeTabs({ label, samples }: { label: string; samples: readonly CodeSample[] }) {
  const id = useId()
  const [chosen, setChosen] = useState(0)
  const shown = samples[chosen]
  return (
    <div className="code-frame">
      <div className="flex min-h-10 items-center justify-between gap-3 border-b border-line pr-1 pl-2">
        <TabList
          id={id}
          label={label}
          tabs={samples}
          chosen={chosen}
          onChoose={setChosen}
          className="flex min-w-0 gap-1 self-stretch overflow-x-auto"
          tabClassName="-mb-px flex min-h-10 items-center border-b-2 border-transparent px-2 text-xs font-medium whitespace-nowrap text-muted -outline-offset-2 hover:text-ink aria-selected:border-brand aria-selected:text-ink"
        />
        {shown && (
          <CopyButton
            key={shown.label}
            text={shown.code}
            label={`Copy ${shown.name} example`}
            shortLabel="Copy"
            variant="ghost"
          />
        )}
      </div>
      {shown && (
        <div key={shown.label} {...panelProps(id, chosen)}>
          <Code label={`${shown.name} example`} code={shown.code} language={shown.language} />
        </div>
      )}
    </div>
  )
}
