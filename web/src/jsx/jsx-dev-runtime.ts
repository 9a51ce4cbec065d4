// As jsx-runtime.ts, for development and tests.
import type { ElementType, Key } from 'react'
import { type JSXSource, jsxDEV as plainJsxDev } from 'react/jsx-dev-runtime'
import { withTextsApart } from './texts-apart.ts'

export { Fragment } from 'react/jsx-dev-runtime'
export type { JSX } from './jsx-runtime.ts'

export function jsxDEV(
  type: ElementType,
  props: object,
  key: Key | undefined,
  isStatic: boolean,
  source?: JSXSource,
  self?: unknown,
) {
  const apart: { children?: unknown } = withTextsApart(type, props)
  return plainJsxDev(type, apart, key, isStatic && Array.isArray(apart.children), source, self)
}
