// The compiler makes the elements of all pages with these functions (`jsxImportSource` in tsconfig.json).
import type { ElementType, ExoticComponent, Key, ReactElement, JSX as ReactJsx } from 'react'
import { jsx as plainJsx, jsxs as plainJsxs } from 'react/jsx-runtime'
import { withTextsApart } from './texts-apart.ts'

export { Fragment } from 'react/jsx-runtime'

export function jsx(type: ElementType, props: object, key?: Key) {
  return plainJsx(type, withTextsApart(type, props), key)
}

export function jsxs(type: ElementType, props: object, key?: Key) {
  return plainJsxs(type, withTextsApart(type, props), key)
}

/**
 * The types of React, except that a component returns an element or nothing. A component that returned a bare text
 * would leave it beside others.
 */
export declare namespace JSX {
  type ElementType = keyof ReactJsx.IntrinsicElements | ((props: never) => ReactElement | null) | ExoticComponent<never>
  type Element = ReactJsx.Element
  type ElementAttributesProperty = ReactJsx.ElementAttributesProperty
  type ElementChildrenAttribute = ReactJsx.ElementChildrenAttribute
  type LibraryManagedAttributes<C, P> = ReactJsx.LibraryManagedAttributes<C, P>
  type IntrinsicAttributes = ReactJsx.IntrinsicAttributes
  type IntrinsicElements = ReactJsx.IntrinsicElements
}
