import { Component, createElement, type ReactElement } from 'react'
import type { Router, Shown } from './router.ts'

interface BoundaryProps {
  shown: Shown
  Broken: Router['Broken']
  children: ReactElement
}

/** Keeps a broken page from breaking anything else, until another page opens. */
export function Boundary(props: BoundaryProps): ReactElement {
  return createElement(Catching, props)
}

interface CatchingState {
  isBroken: boolean
  shown?: Shown
}

class Catching extends Component<BoundaryProps, CatchingState> {
  override state: CatchingState = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  static getDerivedStateFromProps({ shown }: BoundaryProps, before: CatchingState): CatchingState | null {
    return shown === before.shown ? null : { isBroken: false, shown }
  }

  override render() {
    const { Broken, children } = this.props
    return this.state.isBroken ? createElement(Broken) : children
  }
}
