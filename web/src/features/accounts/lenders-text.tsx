import { type Block, type Inline, readMarkdown } from '@portal/contract/markdown.ts'
import { createElement, Fragment, type ReactNode } from 'react'
import { textLinkClass } from '../../ui/description-list.tsx'

/** A text of the lender in Markdown. `headingLevel` is the level of its first-level headings on the page. */
export function LendersText({ text, headingLevel }: { text: string; headingLevel: number }) {
  return <div className="grid gap-2 wrap-anywhere">{showBlocks(readMarkdown(text), headingLevel)}</div>
}

// The parts of a text have no identity except their position.
function showBlocks(blocks: readonly Block[], headingLevel: number): ReactNode {
  return blocks.map((block, position) => <Fragment key={position}>{showBlock(block, headingLevel)}</Fragment>)
}

function showBlock(block: Block, headingLevel: number): ReactNode {
  switch (block.kind) {
    case 'heading': {
      const level = Math.min(6, block.level + headingLevel - 1)
      return createElement(`h${level}`, { className: 'mt-1 font-semibold first:mt-0' }, showInline(block.content))
    }
    case 'paragraph':
      return <p>{showInline(block.content)}</p>
    case 'list': {
      const items = block.items.map((item, position) => (
        <li key={position} className="space-y-1">
          {showBlocks(item, headingLevel)}
        </li>
      ))
      return block.isOrdered ? (
        <ol start={block.start} className="list-decimal space-y-1 pl-6">
          {items}
        </ol>
      ) : (
        <ul className="list-disc space-y-1 pl-6">{items}</ul>
      )
    }
    case 'quote':
      return (
        <blockquote className="grid gap-2 border-l-2 border-line pl-3">
          {showBlocks(block.content, headingLevel)}
        </blockquote>
      )
    case 'rule':
      return <hr className="border-line" />
  }
}

function showInline(parts: readonly Inline[]): ReactNode {
  return parts.map((part, position) => <Fragment key={position}>{showPart(part)}</Fragment>)
}

function showPart(part: Inline): ReactNode {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'code':
      return <code className="font-mono text-[0.9em]">{part.text}</code>
    case 'strong':
      return <strong className="font-semibold">{showInline(part.content)}</strong>
    case 'emphasis':
      return <em>{showInline(part.content)}</em>
    case 'link': {
      const isWeb = part.href.toLowerCase().startsWith('http')
      return (
        <a href={part.href} className={textLinkClass} {...(isWeb && { target: '_blank', rel: 'noreferrer' })}>
          {showInline(part.content)}
        </a>
      )
    }
    case 'break':
      return <br />
  }
}
