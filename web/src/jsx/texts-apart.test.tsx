import { act, render } from '@testing-library/react'
import { type ReactNode, useState } from 'react'
import { expect, test } from 'vitest'

test('a careless component survives a browser that translates its texts', () => {
  let change: (value: number) => void = () => undefined
  function Careless({ children }: { children: ReactNode }) {
    const [count, setCount] = useState(0)
    change = setCount
    return (
      <p>
        {count === 1 && <b>new</b>} Hello {children}
        {count === 2 && ', again'}
        {count > 0 && <>and {count} more</>}
      </p>
    )
  }
  const { container } = render(<Careless>Kim</Careless>)
  const seen = [0, 1, 2, 1, 0].map((count) => {
    translate(container)
    act(() => change(count))
    return container.textContent
  })
  expect(seen).toEqual([
    ' Hello Kim',
    'new Hello Kimand 1 more',
    ' Hello Kim, againand 2 more',
    'new Hello Kimand 1 more',
    ' Hello Kim',
  ])
})

test('texts that stand beside nothing else need no element of their own', () => {
  const count = 3
  const { container } = render(
    <p>
      {count} of {null} 5
    </p>,
  )
  expect(container.innerHTML).toBe('<p>3 of  5</p>')
})

function translate(root: Element) {
  for (const text of textsIn(root)) {
    const outer = document.createElement('font')
    outer.append(document.createElement('font'))
    outer.firstElementChild?.append(text.data)
    if (text.data.trim()) text.replaceWith(outer)
  }
}

function textsIn(node: Node): Text[] {
  return [...node.childNodes].flatMap((child) => (child instanceof Text ? [child] : textsIn(child)))
}
