import { lazy, Suspense } from 'react'
import { Code } from '../../ui/code-block.tsx'
import type { CodeSample } from '../../ui/code-tabs.tsx'

const CodeTabs = lazy(async () => {
  const { CodeTabs } = await import('../../ui/code-tabs.tsx')
  return { default: CodeTabs }
})

/**
 * Code in several languages, on tabs. The tabs load late, because they are far down the page. Until then the first
 * sample is shown.
 */
export function CodeSamples({ label, samples }: { label: string; samples: readonly CodeSample[] }) {
  const [first] = samples
  return (
    <Suspense
      fallback={
        <div className="code-frame">
          <div className="min-h-10 border-b border-line" />
          {first && <Code label={`${first.name} example`} code={first.code} language={first.language} />}
        </div>
      }
    >
      <CodeTabs label={label} samples={samples} />
    </Suspense>
  )
}
