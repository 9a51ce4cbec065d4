import { clsx } from 'clsx'
import { memo } from 'react'
import { type CodeLanguage, codeTokens, type TokenKind } from './code-tokens.ts'
import { CopyButton } from './copy-button.tsx'

const COLOURS: Record<TokenKind, string> = {
  key: 'text-brand-ink',
  string: 'text-success-ink',
  comment: 'text-muted italic',
  keyword: 'text-error-ink',
  number: 'text-warning-ink',
}

/** Longer texts are not coloured, because their colours would cost thousands of elements. */
const COLOURED_LENGTH_MAX = 20_000

interface CodeBlockProps {
  /** The title above the code. It is also the name for screen readers. */
  title: string
  code: string
  language: CodeLanguage
  /** Breaks long lines and scrolls tall code. Set this for data of any length. */
  wrap?: boolean
  className?: string
}

export function CodeBlock({ title, code, language, wrap, className }: CodeBlockProps) {
  return (
    <figure className={clsx('code-frame', className)}>
      <figcaption className="flex min-h-10 items-center justify-between gap-3 border-b border-line py-1 pr-1 pl-4">
        <span className="min-w-0 truncate text-xs font-medium text-muted">{title}</span>
        <CopyButton text={code} label={`Copy ${title}`} shortLabel="Copy" variant="ghost" />
      </figcaption>
      <Code label={title} code={code} language={language} wrap={wrap} />
    </figure>
  )
}

interface CodeProps {
  label: string
  code: string
  language: CodeLanguage
  wrap?: boolean | undefined
}

/** The code without its frame. It can take focus, so that the arrow keys scroll it. */
export const Code = memo(function Code({ label, code, language, wrap }: CodeProps) {
  const tokens = code.length > COLOURED_LENGTH_MAX ? [{ text: code }] : codeTokens(code, language)
  return (
    <pre
      role="group"
      aria-label={label}
      translate="no"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard must reach an area that scrolls
      tabIndex={0}
      className={clsx(
        'overflow-auto rounded-b-lg px-4 py-3 font-mono text-[0.8125rem]/5 -outline-offset-2',
        wrap ? 'max-h-96 break-words whitespace-pre-wrap' : 'whitespace-pre',
      )}
    >
      <code>
        {tokens.map(({ text, kind }, position) => (
          // The pieces of a text have no identity other than their position.
          <span key={position} className={kind && COLOURS[kind]}>
            {text}
          </span>
        ))}
      </code>
    </pre>
  )
})
