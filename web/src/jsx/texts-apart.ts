import { createElement, type ElementType, Fragment, type ReactNode } from 'react'

/**
 * Gives each text that stands beside something else an element of its own, and makes one text of texts that stand
 * beside nothing else. A browser that translates a page replaces the text nodes. React then fails when it moves or
 * removes a text node, and changes a text node that nobody sees any more. But it sets the only text of an element
 * whatever the browser has put there (D149).
 */
export function withTextsApart(type: ElementType | symbol, props: { children?: ReactNode }) {
  const { children } = props
  const hasNoElement = type === Fragment
  if (isText(children)) return hasNoElement ? { ...props, children: apart(children) } : props
  if (!Array.isArray(children) || !children.some(isText)) return props
  if (!hasNoElement && children.every(isTextOrNothing)) return { ...props, children: joined(children) }
  // React knows a child by its position, so each child keeps it.
  const placed: ReactNode[] = [...children]
  for (let start = 0; start < placed.length; start++) {
    if (!isText(placed[start])) continue
    let end = start + 1
    while (end < placed.length && isTextOrNothing(placed[end])) end++
    const text = joined(placed.slice(start, end))
    for (let place = start; place < end; place++) placed[place] = place === start ? apart(text) : null
  }
  return { ...props, children: placed }
}

/** Blanks at the edges stay outside, where they part words also for screen readers. */
function apart(text: string | number): ReactNode {
  const [, before, words, after] = /^(\s*)(.*?)(\s*)$/s.exec(String(text)) ?? []
  if (!words) return text
  const element = createElement('span', null, words)
  return before || after ? createElement(Fragment, null, before, element, after) : element
}

function joined(children: readonly ReactNode[]): string {
  return children.filter(isText).join('')
}

function isText(child: ReactNode): child is string | number {
  return typeof child === 'number' || (typeof child === 'string' && child !== '')
}

function isTextOrNothing(child: ReactNode): boolean {
  return isText(child) || child === null || child === undefined || child === '' || typeof child === 'boolean'
}
